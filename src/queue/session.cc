#include "queue/session.h"

namespace lade::queue {

Result<void> Session::open() {
  if (connection_ != nullptr && connection_->usable() && !connection_->in_transaction()) return {};
  connection_.reset();
  LADE_ASSIGN(auto connection, db::connect(pool_.url()));
  if (!set_up_.empty()) LADE_TRY(connection->run(set_up_));
  connection_ = std::move(connection);
  return {};
}

}  // namespace lade::queue
