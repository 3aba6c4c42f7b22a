"""Folders as they are on disk, and what is said of broken ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from quaestor.core.errors import UsageError
from quaestor.embedding.transformer.model_folder import NoModelError, external_files, read_folder
from tiny_transformer import write_json, write_transformer


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_transformer(tmp_path_factory.mktemp("whole"))


def test_what_a_folder_says_is_read(tmp_path: Path) -> None:
    folder = write_transformer(tmp_path / "model", model="onnx/model.onnx")
    write_json(folder / "modules.json", [{"path": "1_P", "type": "sentence_transformers.models.Pooling"}])
    write_json(folder / "1_P" / "config.json", {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False})
    write_json(folder / "sentence_bert_config.json", {"max_seq_length": 32})
    write_json(folder / "config_sentence_transformers.json", {"prompts": {"query": "query: ", "passage": "document: "}})
    found = read_folder(folder)
    assert (found.model, found.tokenizer) == (folder / "onnx" / "model.onnx", folder / "tokenizer.json")
    assert (found.pooling, found.query, found.document, found.longest) == ("cls", "query: ", "document: ", 32)


def test_without_more_it_is_the_mean_of_what_the_model_reads(whole: Path) -> None:
    found = read_folder(whole)
    assert (found.pooling, found.query, found.document, found.longest) == ("mean", "", "", 64)


def test_a_model_is_found_by_its_file_and_the_whole_one_is_preferred(tmp_path: Path) -> None:
    folder = write_transformer(tmp_path, model="onnx/model_quantized.onnx")
    assert read_folder(folder).model.name == "model_quantized.onnx", "the only one"
    write_transformer(folder, model="onnx/model_O3.onnx")
    with pytest.raises(UsageError, match=r"several models \('onnx/model_O3.onnx', 'onnx/model_quantized.onnx'\)"):
        read_folder(folder)
    named = read_folder(folder / "onnx" / "model_quantized.onnx")
    assert (named.folder, named.model.name) == (folder, "model_quantized.onnx")
    write_transformer(folder, model="onnx/model.onnx")
    assert read_folder(folder).model.name == "model.onnx"


@pytest.mark.parametrize(
    ("missing", "said"),
    [
        ("model.onnx", "optimum-cli export onnx"),
        ("tokenizer.json", "Save it beside the model"),
        ("config.json", "Copy it from where the model came from"),
    ],
)
def test_a_file_that_is_missing_is_named(tmp_path: Path, missing: str, said: str) -> None:
    folder = write_transformer(tmp_path)
    (folder / missing).unlink()
    with pytest.raises(UsageError, match=f"has no '{missing}'.*{said}"):
        read_folder(folder)


def test_what_is_no_folder_says_so(tmp_path: Path) -> None:
    for place in (tmp_path / "none", tmp_path / ("x" * 300), Path("\0")):
        with pytest.raises(UsageError, match="There is no folder"):
            read_folder(place)


@pytest.mark.parametrize("content", [b"", b"not a model", b"\xff" * 64, b"\x3a\xff\xff\xff\xff\x7f"])
def test_what_is_no_model_says_so(tmp_path: Path, content: bytes) -> None:
    folder = write_transformer(tmp_path)
    (folder / "model.onnx").write_bytes(content)
    with pytest.raises(UsageError, match=r"model.onnx' is not an ONNX model"):
        read_folder(folder)


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("config.json", "{", "cannot be read"),
        ("config.json", "[]", "no 'config.json' of a model"),
        ("config.json", "[" * 100_000, "cannot be read"),
        ("1_Pooling/config.json", '{"pooling_mode_weightedmean_tokens": true}', "weightedmean"),
        ("1_Pooling/config.json", '{"pooling_mode_cls_token": true, "pooling_mode_max_tokens": true}', "one at a time"),
    ],
)
def test_what_cannot_be_used_names_its_file(tmp_path: Path, file: str, content: str, said: str) -> None:
    folder = write_transformer(tmp_path)
    (folder / file).parent.mkdir(exist_ok=True)
    (folder / file).write_text(content)
    with pytest.raises(UsageError, match=said) as caught:
        read_folder(folder)
    assert file.rpartition("/")[2] in str(caught.value)


@pytest.mark.parametrize("strange", [None, 3, [], {"prompts": 3}, {"prompts": {"query": 1}}, [[]], {"path": "../.."}])
def test_values_of_other_kinds_change_nothing(tmp_path: Path, whole: Path, strange: object) -> None:
    folder = write_transformer(tmp_path)
    for name in ("modules.json", "config_sentence_transformers.json", "sentence_bert_config.json"):
        write_json(folder / name, strange)
    found = read_folder(folder)
    assert (found.pooling, found.query, found.longest) == ("mean", "", 64)


def test_weights_beside_the_model_are_its_files(tmp_path: Path) -> None:
    folder = write_transformer(tmp_path, external="model.onnx_data")
    assert external_files(folder / "model.onnx") == ["model.onnx_data"]
    assert folder / "model.onnx_data" in read_folder(folder).files
    (folder / "model.onnx_data").unlink()
    with pytest.raises(UsageError, match=r"needs 'model.onnx_data' beside it"):
        read_folder(folder)


@pytest.mark.parametrize("place", ["../outside", "/etc/hostname", "a/../../outside"])
def test_weights_outside_the_folder_are_refused(tmp_path: Path, place: str) -> None:
    folder = write_transformer(tmp_path / "model", external="weights.bin")
    (tmp_path / "outside").write_bytes((folder / "weights.bin").read_bytes())
    data = (folder / "model.onnx").read_bytes()
    (folder / "model.onnx").write_bytes(_renamed(data, b"weights.bin", place.encode()))
    with pytest.raises(UsageError, match=r"outside its folder"):
        read_folder(folder)


def test_a_link_to_weights_outside_is_refused(tmp_path: Path) -> None:
    folder = write_transformer(tmp_path / "model", external="weights.bin")
    (folder / "weights.bin").rename(tmp_path / "outside")
    (folder / "weights.bin").symlink_to(tmp_path / "outside")
    with pytest.raises(UsageError, match=r"cp -rL"):
        read_folder(folder)


def test_a_graph_without_end_is_no_model(tmp_path: Path) -> None:
    data = b""
    for _ in range(400):  # an attribute with a graph with a node with an attribute with a graph
        for key in (0x32, 0x2A, 0x0A):
            data = bytes([key]) + _length(len(data)) + data
    file = tmp_path / "deep.onnx"
    file.write_bytes(b"\x3a" + _length(len(data) + 0) + data)
    with pytest.raises(NoModelError):
        external_files(file)


def _renamed(data: bytes, name: bytes, other: bytes) -> bytes:
    """Return a model whose weights lie elsewhere; it is written anew by the library that made it."""
    import onnx  # noqa: PLC0415

    model = onnx.ModelProto.FromString(data)
    for tensor in model.graph.initializer:
        for entry in tensor.external_data:
            if entry.key == "location":
                assert entry.value.encode() == name
                entry.value = other.decode()
    return model.SerializeToString()


def _length(number: int) -> bytes:
    out = bytearray()
    while True:
        number, low = number >> 7, number & 127
        out.append(low | (128 if number else 0))
        if not number:
            return bytes(out)
