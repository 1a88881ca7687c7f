// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/mailbox.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

namespace gazebo_batch_state {
namespace {

using std::chrono::milliseconds;

constexpr std::uint64_t kSmallRoom = 64;

/// A client: knows the mailbox by nothing but its path and the layout.
class Client {
 public:
  explicit Client(const std::string& path) : file_(open(path.c_str(), O_RDWR)) {
    flock(file_, LOCK_SH);
    struct stat status {};
    fstat(file_, &status);
    size_ = static_cast<std::size_t>(status.st_size);
    memory_ = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  }
  ~Client() {
    munmap(memory_, size_);
    close(file_);
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  MailboxHeader& Header() const { return *static_cast<MailboxHeader*>(memory_); }

  void Post(const std::string& request) {
    std::memcpy(static_cast<char*>(memory_) + Header().request_at, request.data(), request.size());
    Header().request_size = request.size();
    ++Header().posted;
    ++Header().bell;
  }

  bool IsAnswered() const { return Header().answered == Header().posted; }

  std::string Reply() const {
    return {static_cast<const char*>(memory_) + Header().reply_at, Header().reply_size};
  }

 private:
  int file_;
  std::size_t size_ = 0;
  void* memory_ = nullptr;
};

class MailboxTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "mailbox_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
    mailbox_ = std::make_unique<Mailbox>(directory_, kSmallRoom);
  }
  void TearDown() override {
    mailbox_.reset();
    rmdir(directory_.c_str());
  }

  std::string Take() {
    const auto& bytes = mailbox_->Take();
    return {bytes.begin(), bytes.end()};
  }

  void Answer(const std::string& reply) {
    std::memcpy(mailbox_->Reply(reply.size()), reply.data(), reply.size());
    mailbox_->Answer();
  }

  std::string directory_;
  std::unique_ptr<Mailbox> mailbox_;
};

TEST_F(MailboxTest, ARequestIsAnsweredOnce) {
  Client client(mailbox_->Path());
  EXPECT_EQ(std::memcmp(&client.Header().magic, "DSMAIL01", 8), 0);
  EXPECT_EQ(client.Header().version, kMailboxVersion);
  EXPECT_FALSE(mailbox_->HasRequest());
  for (const std::string request : {"first", "", "third"}) {
    client.Post(request);
    ASSERT_TRUE(mailbox_->Wait(milliseconds(1)));
    EXPECT_FALSE(client.IsAnswered());
    EXPECT_EQ(Take(), request);
    Answer("the answer to " + request);
    EXPECT_TRUE(client.IsAnswered());
    EXPECT_EQ(client.Header().failed, 0U);
    EXPECT_EQ(client.Reply(), "the answer to " + request);
    EXPECT_FALSE(mailbox_->HasRequest());
  }
}

TEST_F(MailboxTest, AWaitEndsByARequestAndByARing) {
  std::atomic<bool> done{false};
  std::thread other([this, &done] {
    while (!done) {
      mailbox_->Ring();
      std::this_thread::yield();
    }
  });
  for (int wait = 0; wait < 100; ++wait) {
    EXPECT_FALSE(mailbox_->Wait(milliseconds(900)));
  }
  Client client(mailbox_->Path());
  client.Post("now");
  EXPECT_TRUE(mailbox_->Wait(milliseconds(900)));
  done = true;
  other.join();
}

TEST_F(MailboxTest, ALargeReplyMakesItGrow) {
  const Client small(mailbox_->Path());
  const std::string reply(100'000, 'r');
  Answer(reply);
  const Client client(mailbox_->Path());
  EXPECT_EQ(client.Header().size, mailbox_->Size());
  EXPECT_EQ(client.Reply(), reply);
  EXPECT_GE(small.Header().size, reply.size());
}

TEST_F(MailboxTest, AReplyAbove64MegabytesIsRefused) {
  EXPECT_THROW(mailbox_->Reply((64U << 20U) + 1), std::length_error);
  Answer("and it is usable");
  EXPECT_EQ(Client(mailbox_->Path()).Reply(), "and it is usable");
}

TEST_F(MailboxTest, ASizeThatIsALieIsRefused) {
  Client client(mailbox_->Path());
  client.Post("x");
  client.Header().request_size = kSmallRoom + 1;
  EXPECT_THROW(mailbox_->Take(), std::length_error);
  mailbox_->Fail("too large");
  EXPECT_TRUE(client.IsAnswered());
  EXPECT_NE(client.Header().failed, 0U);
  EXPECT_EQ(client.Reply(), "too large");
}

TEST_F(MailboxTest, KnowsWhetherAClientHasIt) {
  EXPECT_FALSE(mailbox_->IsUsed());
  {
    const Client client(mailbox_->Path());
    EXPECT_TRUE(mailbox_->IsUsed());
  }
  EXPECT_FALSE(mailbox_->IsUsed());
}

TEST_F(MailboxTest, TheClientSeesThatItIsClosedAndTheFileIsGone) {
  const std::string path = mailbox_->Path();
  const Client client(path);
  mailbox_.reset();
  EXPECT_NE(client.Header().closed, 0U);
  EXPECT_NE(access(path.c_str(), F_OK), 0);
}

}  // namespace
}  // namespace gazebo_batch_state
