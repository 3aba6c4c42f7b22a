"""Macros of C and C++ that no grammar knows hide no definitions."""

import pytest

from quaestor.chunking import cut
from quaestor.chunking.definitions import definitions

EXPORTED = b"""\
#define SHOP_API inline \\
    static int SHOP_COUNT total(void)
namespace shop {
SHOP_BEGIN_NAMESPACE

// Holds what a customer SHOP_API buys.
class SHOP_API Basket SHOP_FINAL : public Things {
  public:
    SHOP_NODISCARD SHOP_INLINE std::vector<std::map<int, int>> prices() const SHOP_NOEXCEPT;
    SHOP_NODISCARD std::size_t count() const { return count_; }
    SHOP_OBJECT (Basket)
    static SHOP_CONSTEXPR std::size_t limit = 10;
};

SHOP_INLINE Basket::Basket(int size) : size_(size) {}

SHOP_NODISCARD SHOP_INLINE std::vector<int>
Basket::prices() const {
    return {};
}

SHOP_INLINE std::string *Basket::name() { return nullptr; }
}
"""
C = b"""\
SHOP_EXTERN(int) shop_open(const char *path);
SHOP_EXTERN(void) shop_close(
    shop *one);
SHOP_API int SHOP_CALL shop_read(shop *one) SHOP_NONNULL(1);
"""


def named(data: bytes, language: str) -> list[str]:
    return [".".join((*one.scope, one.name)) for one in definitions(data, language)]


def test_macros_beside_declarations_hide_none() -> None:
    names = named(EXPORTED, "cpp")
    assert names[0] == "SHOP_API", "directives stay as they are"
    wanted = ("shop.Basket", "shop.Basket.prices", "shop.Basket.count", "shop.Basket.Basket", "shop.Basket.name")
    assert set(wanted) <= set(names)
    assert names.count("shop.Basket.prices") == 2


def test_types_within_macros_are_read() -> None:
    assert named(C, "c") == ["shop_open", "shop_close", "shop_read"]


def test_chunks_have_the_text_of_the_file() -> None:
    assert "".join(one.text for one in cut(EXPORTED, "basket.hpp").chunks) == EXPORTED.decode()


@pytest.mark.parametrize(
    ("line", "name"),
    [
        (b"DWORD WINAPI run(void *context) { return 0; }", "run"),
        (b"UINT32 const limit = 4;", "limit"),
        (b"struct POINT origin;", "origin"),
    ],
)
def test_types_in_capitals_are_kept_beside_what_cannot_be_read(line: bytes, name: str) -> None:
    assert name in named(line + b"\nint f( {\n", "c")


@pytest.mark.parametrize("shape", [b"/*", b"A ", b"EXPORT_A\n", b") ", b"class A", b"#\\\n", b"EXPORT(", b"AB::"])
def test_hostile_text_is_read(shape: bytes) -> None:
    cut(shape * 2000 + b"}", "hostile.cpp")


def test_a_type_that_is_exported_in_a_header_without_faults_is_no_function() -> None:
    header = (
        b"struct SHOP_EXPORT Options {\n  int doors = 4;\n};\n\n"
        b"class SHOP_EXPORT Till {\n public:\n  int open;\n};\n\nint count(int x) { }\n"
    )
    found = {one.name: one.kind for one in definitions(header, "cpp")}
    assert (found["Options"], found["Till"], found["count"]) == ("struct", "class", "function")
    assert "Options.doors" in named(header, "cpp")
