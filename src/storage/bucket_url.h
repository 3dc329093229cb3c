#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "storage/bucket.h"

namespace lade::storage {

// Whether this names a bucket rather than a folder.
bool is_bucket_url(std::string_view text);

// A setting by its name; nullopt when it is not set.
using Setting = std::function<std::optional<std::string>(const std::string& name)>;

// s3://BUCKET[/PREFIX][?endpoint=URL&region=NAME&path_style=true|false&ca_file=PATH], completed by the settings
// AWS_ENDPOINT_URL and AWS_REGION. Keys never stand in it: they are AWS_ACCESS_KEY_ID and
// AWS_SECRET_ACCESS_KEY (with AWS_SESSION_TOKEN), or stand in the file AWS_SHARED_CREDENTIALS_FILE. Without an endpoint
// it is Amazon's of the region. Fails with storage_url_invalid and storage_keys_missing.
Result<BucketOptions> parse_bucket_url(std::string_view url, const Setting& setting);

}  // namespace lade::storage
