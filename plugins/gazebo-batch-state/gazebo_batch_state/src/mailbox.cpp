// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/mailbox.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <cstring>
#include <ctime>
#include <new>
#include <stdexcept>

namespace gazebo_batch_state {
namespace {

constexpr std::uint64_t kMostReply = 64U << 20U;  // bytes

// Futexes are 32-bit words; an atomic one has no other representation.
static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

void Sleep(std::atomic<std::uint32_t>& word, std::uint32_t while_it_is, Mailbox::Duration time) {
  struct timespec limit {};
  limit.tv_nsec = std::chrono::nanoseconds(time).count();
  syscall(SYS_futex, &word, FUTEX_WAIT, while_it_is, &limit, nullptr, 0);
}

void Wake(std::atomic<std::uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace

Mailbox::Mailbox(const std::string& directory, std::uint64_t room)
    : file_(directory, kMailboxMagic, sizeof(MailboxHeader) + 2 * room,
            sizeof(MailboxHeader) + room + kMostReply) {
  auto* header = new (file_.Memory()) MailboxHeader{};
  header->version = kMailboxVersion;
  header->request_at = sizeof(MailboxHeader);
  header->size = file_.Size();
  header->reply_at = sizeof(MailboxHeader) + room;
  std::atomic_thread_fence(std::memory_order_release);
  header->magic = kMailboxMagic;
}

Mailbox::~Mailbox() {
  Header().closed = 1;
  Wake(Header().answered);
}

bool Mailbox::Wait(Duration time) {
  const std::uint32_t bell = Header().bell;
  if (!HasRequest()) {
    Sleep(Header().bell, bell, time);
  }
  return HasRequest();
}

void Mailbox::Ring() {
  ++Header().bell;
  Wake(Header().bell);
}

const std::vector<std::uint8_t>& Mailbox::Take() {
  const std::uint64_t size = Header().request_size;
  const std::uint64_t room = Header().reply_at - Header().request_at;
  if (size > room) {
    throw std::length_error("a request of " + std::to_string(size) + " bytes has no place in a " +
                            "mailbox for " + std::to_string(room));
  }
  request_.resize(size);
  std::memcpy(request_.data(), file_.At<std::uint8_t>(Header().request_at), size);
  return request_;
}

std::uint8_t* Mailbox::Reply(std::uint64_t size) {
  const std::uint64_t end = Header().reply_at + size;
  if (end > file_.Size()) {
    file_.Grow(end);
    Header().size = file_.Size();
  }
  Header().reply_size = size;
  return file_.At<std::uint8_t>(Header().reply_at);
}

void Mailbox::Fail(const std::string& reason) {
  std::memcpy(Reply(reason.size()), reason.data(), reason.size());
  Answer(1);
}

void Mailbox::Answer(std::uint32_t failed) {
  Header().failed = failed;
  Header().answered = Header().posted.load();
  Wake(Header().answered);
}

}  // namespace gazebo_batch_state
