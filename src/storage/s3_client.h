#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "storage/s3_signing.h"
#include "storage/s3_transfer.h"

namespace lade::storage {

struct S3Options {
  std::string endpoint;  // https://s3.eu-central-1.amazonaws.com or http://127.0.0.1:9000
  std::string region = "us-east-1";
  std::string bucket;
  bool path_style = true;  // the bucket stands in the path; otherwise in front of the host's name
  S3Keys keys;
  std::string ca_file = {};  // certificates to trust instead of the system's
  // What passes is tried again: after half to all of `pause`, twice that, and so on.
  int attempts = 10;
  std::chrono::milliseconds pause{100};
  std::chrono::milliseconds longest_pause{5000};
  int page_keys = 1'000;  // of a listing
};

struct S3Object {
  std::string key;
  std::uint64_t bytes = 0;
  std::chrono::sys_seconds modified = {};
};

struct S3Upload {
  std::string key;
  std::string id;
  std::chrono::sys_seconds begun = {};
};

// One bucket of an S3-compatible storage. Thread-safe. What passes (5xx, throttling, broken connections, bodies that
// were cut) is tried again; a call fails with storage_unreachable, storage_refused, storage_bucket_missing,
// storage_clock_skew or storage_failed. Secrets are in no error and no log.
class S3Client {
 public:
  explicit S3Client(S3Options options);

  const S3Options& options() const { return options_; }

  // With `only_new` a storage that knows conditions keeps what is there and false is given back.
  Result<bool> put(const std::string& key, std::string_view bytes, bool only_new = false) const;
  // Exactly these bytes; nullopt when there is no such object.
  Result<std::optional<std::string>> get(const std::string& key, std::uint64_t offset, std::uint64_t bytes) const;
  // The whole of a small object; nullopt when there is none.
  Result<std::optional<std::string>> get(const std::string& key) const;
  // Its size; nullopt when there is no such object.
  Result<std::optional<std::uint64_t>> size(const std::string& key) const;
  // One that is not there is fine.
  Result<void> remove(const std::string& key) const;
  // All objects whose key begins so, in pages; the first error of `take` ends it.
  Result<void> list(const std::string& prefix, const std::function<Result<void>(const S3Object&)>& take) const;

  // A large object, part by part. Every part but the last has at least 5 MiB; there are at most 10,000.
  Result<std::string> begin_upload(const std::string& key) const;
  // Gives the tag by which the end names the part. Parts are numbered from 1.
  Result<std::string> put_part(const std::string& key, const std::string& upload, int number,
                               std::string_view bytes) const;
  // `bytes`: of all parts; by it an end whose answer was lost is recognised.
  Result<void> finish_upload(const std::string& key, const std::string& upload, const std::vector<std::string>& tags,
                             std::uint64_t bytes) const;
  // One that is not there is fine.
  Result<void> abort_upload(const std::string& key, const std::string& upload) const;
  // Uploads that were begun and neither finished nor aborted; nothing where the storage cannot tell.
  Result<std::vector<S3Upload>> unfinished_uploads(const std::string& prefix) const;

  // An address by which others get or put the object until it expires. `query` overrides headers of the answer
  // (response-content-disposition, …).
  std::string presigned(const std::string& method, const std::string& key, std::chrono::seconds expires,
                        const S3Fields& query = {}) const;

 private:
  struct Call {
    std::string method;
    std::string key;
    S3Fields query = {};
    S3Fields headers = {};
    std::string_view body = {};
    std::optional<std::uint64_t> expected = {};  // bytes of the answer's body
    bool may_fail_late = false;                  // an error may come after the status 200
  };
  S3Request request_of(const Call& call) const;
  std::string url_of(const S3Request& request, const std::string& query) const;
  S3Answer attempt(const Call& call, const std::string& body_sha256) const;
  // The last answer of all attempts: a success, or an error that does not pass.
  S3Answer send(const Call& call) const;
  Error error(const S3Answer& answer) const;

  const S3Options options_;
  std::string scheme_, host_;
  mutable S3Connections connections_;
  mutable std::atomic<bool> reached_ = false;  // it has answered before
};

}  // namespace lade::storage
