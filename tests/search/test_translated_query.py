"""Questions in other languages, translated by the glossary."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.core.terms import STOP_WORDS, terms
from quaestor.search.language import CARRIED
from quaestor.search.query import Query, read_query
from quaestor.search.translation import translate_query
from quaestor.search.translation.glossary import COLUMNS, INFLECTED, forms, glossary_of, inflections, lines, words_alike
from quaestor.search.translation.translated_query import pieces_of_words

MARKS = frozenset("der und nicht wird les une avec sont los las una por 这 這 们 們 吗 嗎 ます です する して".split())


def english_index(terms: Iterable[str]) -> Mapping[str, int]:
    """Count as an index does that holds every word of English and none in letters of another script."""
    return {term: int(term.isascii() and term not in MARKS) for term in terms}


def bilingual_index(terms: Iterable[str]) -> Mapping[str, int]:
    """Count as an index does that holds every word, twice as often in English."""
    return {term: 1 + (term == "the") for term in terms}


def own_index(terms: Iterable[str]) -> Mapping[str, int]:
    """Count as an index does that holds no English."""
    return {term: 2 * (term != "the") for term in terms}


def carried(question: str, language: str) -> Query:
    return translate_query(read_query(question), language, english_index)


def test_the_glossary_has_a_thousand_words_and_more_of_each_language() -> None:
    assert frozenset(COLUMNS) == CARRIED
    for language in COLUMNS:
        glossary = glossary_of(language)
        assert len(glossary.words) + len(glossary.phrases) > 1700


def test_each_line_of_the_glossary_has_a_field_a_language() -> None:
    for fields in lines():
        assert len(fields) == 1 + len(COLUMNS), fields
        assert fields[0] == "." or all(re.fullmatch(r"[A-Za-z_]+", word) for word in fields[0].split()), fields
        for field in fields:
            assert field == " ".join(field.split()), fields


@pytest.mark.parametrize(
    ("question", "english", "other"),
    [
        ("Wie fahre ich einen Worker herunter?", "shutdown", "danger"),
        ("Wie breche ich einen laufenden Job ab?", "cancel", "expire"),
        ("Wo fängt der Server an?", "start", "modify"),
        ("Wann ist eine zwischengespeicherte Vorlage zu alt?", "cache", "between"),
        ("Wird die Vorlage dabei übersetzt?", "compile", "between"),
        ("Wann wird der Prozess beendet?", "terminate", "between"),
        ("Warum schlägt die Anmeldung fehl?", "fail", "strike"),
        ("Woran ist die Anmeldung gescheitert?", "fail", "separate"),
    ],
)
def test_a_german_verb_is_one_word_with_its_particle_in_all_its_forms(question: str, english: str, other: str) -> None:
    words = {word for piece in pieces_of_words(question, "de") for word in piece.english or ()}
    assert english in words and other not in words


@pytest.mark.parametrize(
    ("language", "question", "english"),
    [
        ("de", "Wie wird eine Verbindung geschlossen?", {"close", "connection"}),
        ("de", "Warum schließt der Server die Verbindungen?", {"close", "connection", "server"}),
        ("de", "Wo steht der Verbindungsaufbau?", {"connect build"}),
        ("de", "Wann läuft das Zertifikat ab, und wer schaltet den Dienst ab?", {"certificate", "disable", "service"}),
        ("de", "Wie viele Wiederholungen gibt es in der Warteschlange?", {"retry", "queue"}),
        ("de", "Wie ändere ich das Passwort eines Benutzers?", {"change", "password", "user"}),
        ("de", "Wo liegt das Benutzerhandbuch?", {"user manual"}),
        ("de", "Welche Dateiendungen werden gelesen?", {"file extension", "read"}),
        ("de", "Wen muss ich informieren, wenn ich umgezogen bin?", {"inform", "move"}),
        ("de", "Wie hoch ist der Zuschuss zur Altersvorsorge?", {"retirement"}),
        ("de", "Wie lang sind Kündigungsfrist und Elternzeit?", {"notice period", "parental leave"}),
        ("fr", "comment résilier la garantie ?", {"cancel", "warranty"}),
        ("es", "¿cuál es la edad mínima para el teletrabajo?", {"minimum age", "remote work"}),
        ("fr", "combien de salariés peut-on encadrer", {"employee", "supervise"}),
        ("es", "¿cuándo recibo el salario en vacaciones?", {"salary", "vacation"}),
        ("zh", "入职后多久报销费用", {"onboarding", "expense", "reimbursement"}),
        ("ja", "この方式の長所と短所を聞かれました", {"pros", "cons"}),
        ("fr", "comment est fermée la connexion", {"close", "connection"}),
        ("fr", "où est le mot de passe de l'utilisateur ?", {"password", "user"}),
        ("fr", "pourquoi les fils d'exécution attendent-ils ?", {"thread", "wait"}),
        ("es", "¿cómo se cierran las conexiones?", {"close", "connection"}),
        ("es", "donde se guarda la contrasena del usuario", {"store", "password", "user"}),
        ("de", "Ist die Ausgabe lesbar, wenn der Rechner überlastet ist?", {"readable", "overload"}),
        ("fr", "pourquoi le chargeur contourne-t-il le cache ?", {"load", "bypass"}),
        ("es", "¿por qué eligen comodines, y quién lo advierte?", {"choose", "wildcard", "warn"}),
        (
            "fr",
            "où les utilisateurs et leurs permissions sont-ils lus, et quelles commandes ?",
            {"user", "permission", "command"},
        ),
        ("fr", "quels signaux et quelles connexions", {"signal", "connection"}),
        ("es", "¿qué objetos, archivos, operadores y raíces?", {"object", "file", "operator", "root"}),
        ("es", "que interfaces tienen los indices", {"interface", "index"}),
        ("de", "Wo wird das Zertifkat geprüft?", {"certificate", "zertifkat"}),
        ("fr", "où est la permisson ?", {"permission", "permisson"}),
        ("zh", "剩余额度怎样扣减", {"remainder", "quota", "deduct"}),
        ("ja", "テレメトリーを後回しにする理由", {"telemetry", "postpone"}),
        ("zh", "如何关闭连接池?", {"close", "connection"}),
        ("zh", "证书什么时候过期", {"certificate", "expire"}),
        ("ja", "接続はどこで閉じられますか", {"connection", "close"}),
        ("ja", "サーバーを再起動するにはどうすればよいですか", {"server", "restart"}),
    ],
)
def test_words_are_carried_over_in_their_forms(language: str, question: str, english: set[str]) -> None:
    query = carried(question, language)
    assert english <= set(query.translated)
    assert query.original == question
    assert all(term.isascii() for term in query.terms)


@pytest.mark.parametrize(
    ("language", "question", "name"),
    [
        ("de", "Was macht Client.send_now beim Schließen?", "send_now"),
        ("fr", "que fait `Client.send_now` à la fermeture ?", "send_now"),
        ("es", "¿qué hace HandlerStack al cerrar?", "handlerstack"),
        ("zh", "内存不够时xMalloc会怎么做", "xmalloc"),
        ("ja", "接続を閉じるcloseAllはどこですか", "closeall"),
    ],
)
def test_names_stay_as_they_are(language: str, question: str, name: str) -> None:
    query = carried(question, language)
    assert name in query.names
    assert name in query.terms


def test_words_of_grammar_are_left_out_and_questions_stay_questions() -> None:
    query = carried("Wie kann ich die Verbindung in der Datei schließen?", "de")
    assert query.text.startswith("how to ")
    assert not {"wie", "kann", "ich", "die", "in", "der"} & set(query.terms)


def test_own_words_count_more_where_the_index_holds_them() -> None:
    query = translate_query(read_query("Wo wird das Zertifikat geprüft?"), "de", bilingual_index)
    assert query.terms.count("zertifikat") > query.terms.count("certif") == 1
    assert "Zertifikat" in query.text


def test_an_index_in_the_same_language_is_asked_in_it() -> None:
    query = read_query("Wo wird das Zertifikat geprüft?")
    found = translate_query(query, "de", own_index)
    assert found == query._replace(terms=found.terms)
    assert {"zertifikat", "gepruft"} <= {*found.terms}


@pytest.mark.parametrize("language", sorted(INFLECTED))
@given(data=st.data())
def test_a_word_of_grammar_is_not_asked_for_in_its_own_language(language: str, data: st.DataObject) -> None:
    glossary = glossary_of(language)
    grammar = data.draw(st.sampled_from([word for word, english in glossary.words.items() if not english]))
    telling = data.draw(st.sampled_from([word for word, english in glossary.words.items() if {*english} - STOP_WORDS]))
    found = translate_query(read_query(f"{grammar}, {telling}?"), language, own_index)
    same = (telling, *inflections(telling, language), *words_alike(language).get(forms(telling, language)[0], ()))
    # A compound is a term as a whole, too: "e-mail".
    assert {*terms(telling)} <= {*found.terms} <= {term for one in same for term in (*terms(one), one)}


def test_other_words_for_a_notion_are_asked_for_and_count_less() -> None:
    found = translate_query(read_query("Wie hoch ist das Gehalt in den Ferien?"), "de", own_index).terms
    assert found.count("gehalt") > found.count("lohn") == 1
    assert found.count("ferien") > found.count("urlaub") == 1


@pytest.mark.parametrize(
    ("language", "question", "asked", "not_asked"),
    [
        ("zh", "哈希表什么时候需要扩大容量？", {"哈希", "希表", "扩大", "容量"}, {"表什", "什么", "时候", "候需"}),
        ("zh", "可乐鸡翅怎么做？", {"可乐", "乐鸡", "鸡翅"}, {"翅怎", "怎么"}),
        ("ja", "オブジェクトはどうすれば複製できますか？", {"複製"}, {"どう", "ば複"}),
    ],
)
def test_words_of_grammar_in_scripts_without_spaces_are_not_asked_for(
    language: str, question: str, asked: set[str], not_asked: set[str]
) -> None:
    found = {*translate_query(read_query(question), language, own_index).terms}
    assert asked <= found
    assert not not_asked & found


@pytest.mark.parametrize(
    ("language", "asked", "written"),
    [
        ("de", "kündigt", "Kündigung"),
        ("de", "anmelden", "angemeldet"),
        ("de", "angekündigt", "Ankündigungen"),
        ("de", "Vermieters", "Vermietern"),
        ("de", "Sonntag", "Sonntagen"),
        ("fr", "assister", "assistaient"),
        ("fr", "assisteront", "assistait"),
        ("es", "contratado", "contrataron"),
    ],
)
def test_words_are_found_in_other_forms(language: str, asked: str, written: str) -> None:
    [term] = terms(written)

    def index(sought: Iterable[str]) -> Mapping[str, int]:
        return {one: 2 * (one == term or one in MARKS) for one in sought}

    assert term in translate_query(read_query(asked), language, index).terms
    assert terms(asked)[0] not in translate_query(read_query(asked), language, index).terms


def test_what_the_glossary_does_not_know_is_asked_as_it_is() -> None:
    query = read_query("Wo sind Quaxelbrumpf und Zwirbelschnack?")
    assert translate_query(query, "de", english_index) is query


@pytest.mark.parametrize("language", COLUMNS)
@given(text=st.text(max_size=120) | st.text(alphabet="schließen连接閉じるé' -`_.?ñ\x00ま", max_size=60))
def test_any_text_is_legal(language: str, text: str) -> None:
    query = read_query(text)
    for index in (english_index, bilingual_index, own_index):
        found = translate_query(query, language, index)
        assert (found.original == query.text) == bool(found.translated) or not query.text
        if not found.translated:
            assert found == query._replace(terms=found.terms)


def test_an_english_question_reads_no_glossary() -> None:
    script = (
        "import sys; from quaestor import Index; import tempfile, pathlib\n"
        "from quaestor.core.config import Settings\n"
        "with tempfile.TemporaryDirectory() as folder:\n"
        "    root = pathlib.Path(folder, 'corpus'); root.mkdir(); (root / 'a.py').write_text('def close(): pass')\n"
        "    with Index.build(root, settings=Settings(home=folder)) as index:\n"
        "        index.search('how is a connection closed')\n"
        "        assert not any(name.startswith('quaestor.search.translation') for name in sys.modules)\n"
        "        index.search('wie wird die Verbindung geschlossen')\n"
        "        assert 'quaestor.search.translation' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
