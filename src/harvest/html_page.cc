#include "harvest/html_page.h"

#include <fmt/format.h>
#include <libxml/HTMLparser.h>
#include <libxml/HTMLtree.h>
#include <libxml/parser.h>
#include <libxml/xpath.h>
#include <libxml/xpathInternals.h>

#include "base/assert.h"
#include "harvest/element_text.h"

namespace lade::harvest {
namespace {

struct FreeXml {
  void operator()(htmlParserCtxtPtr context) const { htmlFreeParserCtxt(context); }
  void operator()(xmlXPathContextPtr context) const { xmlXPathFreeContext(context); }
  void operator()(xmlXPathObjectPtr object) const { xmlXPathFreeObject(object); }
  void operator()(xmlXPathCompExprPtr expression) const { xmlXPathFreeCompExpr(expression); }
  void operator()(xmlChar* text) const { xmlFree(text); }
};
template <class T>
using Owned = std::unique_ptr<T, FreeXml>;

void prepare_library() {
  static const bool ready = [] {
    xmlInitParser();
    return true;
  }();
  (void)ready;
}

std::string trimmed(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

// Keeps the first complaint about an expression.
void keep_complaint(void* into, xmlErrorPtr error) {
  auto& complaint = *static_cast<std::string*>(into);
  if (complaint.empty() && error->message != nullptr)
    complaint = fmt::format("{} (at character {})", trimmed(error->message), error->int1 + 1);
}

Owned<xmlXPathContext> new_context(xmlDocPtr document, std::string& complaint) {
  Owned<xmlXPathContext> context(xmlXPathNewContext(document));
  LADE_ASSERT(context);
  context->error = &keep_complaint;
  context->userData = &complaint;
  return context;
}

tl::unexpected<Error> invalid(const std::string& xpath, const std::string& complaint) {
  return fail("selector_invalid",
              fmt::format("xpath '{}': {}", xpath, complaint.empty() ? "cannot be evaluated" : complaint),
              "write it in XPath 1.0, such as //div[@class='title']/text()", ErrorKind::invalid);
}

std::string copied(xmlChar* text) {
  const Owned<xmlChar> owned(text);
  return owned ? reinterpret_cast<const char*>(owned.get()) : "";
}

tl::unexpected<Error> too_large(const std::string& what) {
  return fail("field_too_large", what, "select less of the page", ErrorKind::invalid);
}

// The values of selected nodes, within the limits.
Result<std::vector<std::string>> values_of(const xmlNodeSet* nodes, const std::string& attribute,
                                           const SelectLimits& limits) {
  std::vector<std::string> values;
  const int count = nodes == nullptr ? 0 : nodes->nodeNr;
  std::size_t bytes = 0;
  for (int at = 0; at < count; ++at) {
    xmlNodePtr node = nodes->nodeTab[at];
    const bool is_element = node->type == XML_ELEMENT_NODE;
    if (is_element && !attribute.empty()) {
      const auto* const name = reinterpret_cast<const xmlChar*>(attribute.c_str());
      if (xmlHasProp(node, name) == nullptr) continue;
      values.push_back(copied(xmlGetProp(node, name)));
    } else if (is_element || node->type == XML_HTML_DOCUMENT_NODE || node->type == XML_DOCUMENT_NODE) {
      values.push_back(element_text(*node, limits.bytes - bytes + 1));
    } else {
      values.push_back(copied(xmlNodeGetContent(node)));
    }
    bytes += values.back().size();
    if (values.size() > limits.values) return too_large(fmt::format("more than {} values", limits.values));
    if (bytes > limits.bytes) return too_large(fmt::format("more than {} bytes", limits.bytes));
  }
  return values;
}

}  // namespace

void HtmlPage::Free::operator()(_xmlDoc* document) const {
  xmlFreeDoc(document);
}

Result<HtmlPage> HtmlPage::parse(std::string_view text, const HtmlLimits& limits) {
  prepare_library();
  LADE_ASSIGN(const std::string plain, plain_tags(text, limits));
  const Owned<htmlParserCtxt> context(htmlNewParserCtxt());
  LADE_ASSERT(context);
  constexpr int kOptions = HTML_PARSE_NONET | HTML_PARSE_RECOVER | HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING |
                           HTML_PARSE_COMPACT | HTML_PARSE_IGNORE_ENC | HTML_PARSE_NODEFDTD;
  HtmlPage page;
  page.document_.reset(
      htmlCtxtReadMemory(context.get(), plain.data(), static_cast<int>(plain.size()), nullptr, "UTF-8", kOptions));
  // libxml2 stops where elements are nested too deeply, or when it has no memory.
  if (context->disableSAX != 0 || context->errNo == XML_ERR_NO_MEMORY)
    return fail("page_too_complex", "the page is nested deeper than 256 elements, or a text in it is too long", "",
                ErrorKind::invalid);
  if (!page.document_) page.document_.reset(htmlNewDocNoDtD(nullptr, nullptr));
  LADE_ASSERT(page.document_);
  return page;
}

Result<std::vector<std::string>> HtmlPage::select(const std::string& xpath, const std::string& attribute,
                                                  const SelectLimits& limits) const {
  std::string complaint;
  const auto context = new_context(document_.get(), complaint);
  context->opLimit = limits.operations;
  const Owned<xmlXPathObject> found(
      xmlXPathEvalExpression(reinterpret_cast<const xmlChar*>(xpath.c_str()), context.get()));
  if (!found &&
      context->lastError.code == static_cast<int>(XML_XPATH_EXPRESSION_OK) + static_cast<int>(XPATH_OP_LIMIT_EXCEEDED))
    return fail("page_too_complex",
                fmt::format("'{}' takes more than {} operations on this page", xpath, limits.operations), "",
                ErrorKind::invalid);
  if (!found) return invalid(xpath, complaint);
  if (found->type == XPATH_NODESET) return values_of(found->nodesetval, attribute, limits);
  std::vector<std::string> values = {copied(xmlXPathCastToString(found.get()))};
  if (values[0].size() > limits.bytes) return too_large(fmt::format("more than {} bytes", limits.bytes));
  return values;
}

Result<void> check_xpath(const std::string& xpath) {
  prepare_library();
  std::string complaint;
  const auto context = new_context(nullptr, complaint);
  const Owned<xmlXPathCompExpr> compiled(
      xmlXPathCtxtCompile(context.get(), reinterpret_cast<const xmlChar*>(xpath.c_str())));
  if (!compiled) return invalid(xpath, complaint);
  return {};
}

}  // namespace lade::harvest
