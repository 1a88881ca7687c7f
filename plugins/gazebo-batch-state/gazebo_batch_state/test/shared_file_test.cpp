// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/shared_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <memory>
#include <system_error>
#include <thread>

namespace gazebo_batch_state {
namespace {

constexpr SharedFile::RowCounts kRows = {2, 3, 1, 1, 2};
constexpr auto kLasting = std::chrono::seconds(3);
constexpr std::uint64_t kBoot = 77;
constexpr std::uint64_t kGeneration = 1234567890123;

/// A client: knows the file by nothing but its path and the layout.
class Reader {
 public:
  explicit Reader(const std::string& path) : file_(open(path.c_str(), O_RDWR)) {
    struct stat status {};
    fstat(file_, &status);
    size_ = static_cast<std::size_t>(status.st_size);
    memory_ = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
    flock(file_, LOCK_SH);
  }
  ~Reader() {
    munmap(memory_, size_);
    close(file_);
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  SharedHeader& Header() const { return *static_cast<SharedHeader*>(memory_); }

  const SharedBuffer& Latest() const {
    const char* start = static_cast<const char*>(memory_) + Header().header_size;
    return *reinterpret_cast<const SharedBuffer*>(start + Header().latest * Header().stride);
  }

  /// The rows of a table in the latest buffer, if they were not written to meanwhile.
  bool Read(Table table, std::vector<double>& numbers, std::uint64_t& iterations) const {
    const auto number = static_cast<std::size_t>(table);
    const SharedBuffer& buffer = Latest();
    const std::uint64_t sequence = buffer.sequence.load(std::memory_order_acquire);
    numbers.resize(Header().rows[number] * Layout(table).width);
    const char* rows = static_cast<const char*>(memory_) + buffer.offset[number];
    std::memcpy(numbers.data(), rows, numbers.size() * sizeof(double));
    iterations = buffer.iterations;
    std::atomic_thread_fence(std::memory_order_acquire);
    return sequence % 2 == 0 && buffer.sequence.load(std::memory_order_relaxed) == sequence;
  }

  std::size_t Size() const { return size_; }

 private:
  int file_;
  std::size_t size_ = 0;
  void* memory_ = nullptr;
};

class SharedFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "shared_file_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
    file_ = std::make_unique<SharedFile>(directory_, kBoot, kGeneration, kRows);
  }
  void TearDown() override {
    file_.reset();
    rmdir(directory_.c_str());
  }

  void Write(double value, std::uint64_t iterations) {
    for (const Table table : kAllTables) {
      double* numbers = file_->Begin(table);
      const auto row_count = kRows[static_cast<std::size_t>(table)];
      std::fill(numbers, numbers + row_count * Layout(table).width, value);
    }
    file_->Commit({iterations, 12, 345, 0.001}, kLasting);
  }

  std::string directory_;
  std::unique_ptr<SharedFile> file_;
};

TEST_F(SharedFileTest, TheHeaderSaysWhatIsInTheFile) {
  const Reader reader(file_->Path());
  EXPECT_EQ(std::memcmp(&reader.Header().magic, "DSBATCH1", 8), 0);
  EXPECT_EQ(reader.Header().version, 5U);
  EXPECT_EQ(reader.Header().header_size, 128U);
  EXPECT_EQ(reader.Header().size, reader.Size());
  EXPECT_EQ(reader.Header().size, file_->Size());
  EXPECT_GE(reader.Header().buffers, 3U);
  EXPECT_EQ(reader.Header().header_size + reader.Header().buffers * reader.Header().stride,
            reader.Size());
  EXPECT_EQ(reader.Header().boot, kBoot);
  EXPECT_EQ(reader.Header().generation, kGeneration);
  EXPECT_EQ(reader.Header().obsolete, 0U);
  for (std::size_t table = 0; table < kTables; ++table) {
    EXPECT_EQ(reader.Header().rows[table], kRows[table]);
  }
}

TEST_F(SharedFileTest, OnlyItsOwnerMayReadIt) {
  struct stat status {};
  ASSERT_EQ(stat(file_->Path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(SharedFileTest, WhatWasWrittenIsTheLatest) {
  const Reader reader(file_->Path());
  for (std::uint64_t iterations = 1; iterations < 10; ++iterations) {
    Write(0.5 * static_cast<double>(iterations), iterations);
    for (const Table table : kAllTables) {
      std::vector<double> numbers;
      std::uint64_t seen = 0;
      ASSERT_TRUE(reader.Read(table, numbers, seen));
      EXPECT_EQ(seen, iterations);
      EXPECT_EQ(numbers,
                std::vector<double>(numbers.size(), 0.5 * static_cast<double>(iterations)));
    }
    EXPECT_EQ(reader.Latest().generation, kGeneration);
    EXPECT_EQ(reader.Latest().seconds, 12U);
    EXPECT_EQ(reader.Latest().nanoseconds, 345U);
    EXPECT_EQ(reader.Latest().timestep, 0.001);
  }
}

TEST_F(SharedFileTest, KnowsWhichTablesClientsRead) {
  const Reader reader(file_->Path());
  for (const Table table : kAllTables) {
    EXPECT_FALSE(file_->Wants(table));
  }
  reader.Header().wanted |= 1U << static_cast<std::uint32_t>(Table::kLinks);
  for (const Table table : kAllTables) {
    EXPECT_EQ(file_->Wants(table), table == Table::kLinks);
  }
}

TEST_F(SharedFileTest, SaysWhichTablesAreOfAnInstant) {
  const Reader reader(file_->Path());
  Write(1.0, 1);
  EXPECT_EQ(reader.Latest().filled, 31U);
  for (int buffer = 0; buffer < 4; ++buffer) {
    file_->Begin(Table::kLinks);
    file_->Commit({2, 0, 0, 0.001}, kLasting);
    EXPECT_EQ(reader.Latest().filled, 2U);
  }
  file_->Commit({3, 0, 0, 0.001}, kLasting);
  EXPECT_EQ(reader.Latest().filled, 0U);
  EXPECT_EQ(reader.Latest().iterations, 3U);
}

TEST_F(SharedFileTest, ALaterWriteLeavesTheLatestAloneUntilItIsComplete) {
  Write(1.0, 1);
  const Reader reader(file_->Path());
  file_->Begin(Table::kModels)[0] = 2.0;
  std::vector<double> numbers;
  std::uint64_t iterations = 0;
  ASSERT_TRUE(reader.Read(Table::kModels, numbers, iterations));
  EXPECT_EQ(numbers.front(), 1.0);
  EXPECT_EQ(iterations, 1U);
}

TEST_F(SharedFileTest, AFastWriterNeitherTearsNorStarvesAReader) {
  Write(0.0, 0);
  const Reader reader(file_->Path());
  std::atomic<bool> done{false};
  std::thread writer([this, &done] {
    for (std::uint64_t number = 1; !done; ++number) {
      Write(static_cast<double>(number), number);
    }
  });
  int retries = 0;
  constexpr int kReads = 5000;
  for (int read = 0; read < kReads; ++read) {
    std::vector<double> numbers;
    std::uint64_t iterations = 0;
    while (!reader.Read(Table::kLinks, numbers, iterations)) {
      ++retries;
    }
    ASSERT_EQ(numbers, std::vector<double>(numbers.size(), static_cast<double>(iterations)));
  }
  done = true;
  writer.join();
  EXPECT_LT(retries, kReads);
}

TEST_F(SharedFileTest, SaysHowLongItIsThePresent) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  };
  const auto before = now();
  file_->Commit({2, 0, 0, 0.001}, kLasting);
  const std::chrono::nanoseconds expires(Reader(file_->Path()).Latest().expires);
  EXPECT_GE(expires, before + kLasting);
  EXPECT_LE(expires, now() + kLasting);
}

TEST_F(SharedFileTest, KnowsWhetherAClientHoldsIt) {
  EXPECT_FALSE(file_->IsRead());
  {
    const Reader reader(file_->Path());
    EXPECT_TRUE(file_->IsRead());
  }
  EXPECT_FALSE(file_->IsRead());
}

TEST_F(SharedFileTest, TheEndIsToldToThoseWhoStillReadAndTheFileIsGone) {
  const std::string path = file_->Path();
  const Reader reader(path);
  file_.reset();
  EXPECT_NE(reader.Header().obsolete, 0U);
  EXPECT_NE(access(path.c_str(), F_OK), 0);
}

TEST_F(SharedFileTest, WhatAKilledServerLeftIsRemovedAndNothingElse) {
  const std::string orphan = directory_ + "/gazebo_batch_state.1.dead";
  const std::string other = directory_ + "/other";
  const std::string launch = directory_ + "/gazebo_batch_state.launch";
  for (const std::string& path : {orphan, other}) {
    std::ofstream(path) << "DSBATCH1 and tables";
  }
  std::ofstream(launch) << "<launch></launch>";
  const SharedFile second(directory_, kBoot, kGeneration, kRows);
  EXPECT_NE(access(orphan.c_str(), F_OK), 0);
  for (const std::string& path : {other, launch, file_->Path()}) {
    EXPECT_EQ(access(path.c_str(), F_OK), 0) << path;
  }
  std::remove(other.c_str());
  std::remove(launch.c_str());
}

TEST_F(SharedFileTest, AMissingDirectoryIsNamed) {
  try {
    const SharedFile file(directory_ + "/nowhere", kBoot, kGeneration, kRows);
    FAIL() << "no exception";
  } catch (const std::system_error& error) {
    EXPECT_NE(std::string(error.what()).find(directory_ + "/nowhere"), std::string::npos);
  }
}

TEST_F(SharedFileTest, AWorldWithoutRowsIsSharedToo) {
  SharedFile file(directory_, kBoot, kGeneration, {0, 0, 0, 0, 0});
  file.Commit({5, 0, 0, 0.001}, kLasting);
  const Reader reader(file.Path());
  EXPECT_EQ(reader.Latest().iterations, 5U);
  EXPECT_EQ(reader.Latest().sequence % 2, 0U);
}

}  // namespace
}  // namespace gazebo_batch_state
