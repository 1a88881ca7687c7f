// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gazebo_batch_state/mapped_file.hpp"

namespace gazebo_batch_state {

constexpr std::uint64_t kMailboxMagic = 0x31304C49414D5344;  ///< "DSMAIL01", little-endian
constexpr std::uint32_t kMailboxVersion = 1;

/// The beginning of a mailbox: a file through which one client on the same machine calls.
///
/// Requests and replies are those of Exchange.srv, serialised as ROS 1 does. A client:
///
/// 1. maps the file and checks magic and version; holds flock(LOCK_SH) on it while it uses it;
/// 2. puts a request and its size in place, sets `posted` to the next number, changes `bell`, and
///    wakes who waits for `bell` (futex);
/// 3. waits (futex) until `answered` is that number; maps the file again if `size` is another one;
///    the reply is then in place, or a text that says why there is none if `failed` is not 0.
///
/// Nothing is answered any more once `closed` is not 0.
struct MailboxHeader {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t request_at;           ///< where the request begins [bytes]
  std::uint64_t size;                 ///< of the file [bytes]
  std::uint64_t reply_at;             ///< where the reply begins, up to the end of the file [bytes]
  std::atomic<std::uint32_t> bell;    ///< has another value after each request
  std::atomic<std::uint32_t> posted;  ///< the number of the request
  std::atomic<std::uint32_t> answered;  ///< the number of the request that was answered last
  std::atomic<std::uint32_t> closed;    ///< not 0: the server is gone, or has another mailbox
  std::uint64_t request_size;           ///< [bytes]
  std::uint64_t reply_size;             ///< [bytes]
  std::uint32_t failed;                 ///< not 0: the reply is a text
  std::array<std::uint32_t, 15> padding;
};
static_assert(sizeof(MailboxHeader) == 128 && offsetof(MailboxHeader, bell) == 32 &&
              offsetof(MailboxHeader, request_size) == 48 && offsetof(MailboxHeader, failed) == 64);

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
