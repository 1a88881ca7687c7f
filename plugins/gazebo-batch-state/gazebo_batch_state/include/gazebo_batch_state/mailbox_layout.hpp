// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace gazebo_batch_state {

constexpr std::uint64_t kMailboxMagic = 0x31304C49414D5344;  ///< "DSMAIL01", little-endian
constexpr std::uint32_t kMailboxVersion = 2;

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

}  // namespace gazebo_batch_state
