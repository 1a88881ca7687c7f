// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "gazebo_batch_state/mailbox_layout.hpp"
#include "gazebo_batch_state/mapped_file.hpp"

namespace gazebo_batch_state {

/// The server's end of a mailbox.
class Mailbox {
 public:
  using Duration = std::chrono::microseconds;

  /// \param room for a request, and at first for a reply [bytes]
  /// \throws std::system_error with the path if the file cannot be made
  explicit Mailbox(const std::string& directory, std::uint64_t room = kRoom);

  /// Tells the client that nothing is answered any more.
  ~Mailbox();
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  /// Waits for a request, for Ring, or until the time is over. From any thread.
  ///
  /// \return whether there is a request without an answer
  bool Wait(Duration time);

  /// Whether there is a request without an answer.
  bool HasRequest() const { return Header().posted.load() != Header().answered.load(); }

  /// Lets Wait return.
  void Ring();

  /// Copies the request, which its client could change meanwhile.
  ///
  /// \throws std::length_error if it is larger than its place
  const std::vector<std::uint8_t>& Take();

  /// Where the reply goes, with room for so many bytes.
  ///
  /// \throws std::length_error if it is larger than 64 MB
  /// \throws std::system_error if there is no memory for it
  std::uint8_t* Reply(std::uint64_t size);

  /// Says that the reply is in place.
  void Answer() { Answer(0); }

  /// Answers with the reason why there is no reply.
  void Fail(const std::string& reason);

  /// Whether a client has it open.
  bool IsUsed() const { return file_.IsUsed(); }

  const std::string& Path() const { return file_.Path(); }
  std::uint64_t Size() const { return file_.Size(); }

 private:
  static constexpr std::uint64_t kRoom = 1U << 20U;

  MailboxHeader& Header() const { return *file_.At<MailboxHeader>(0); }
  void Answer(std::uint32_t failed);

  MappedFile file_;
  std::vector<std::uint8_t> request_;
};

}  // namespace gazebo_batch_state
