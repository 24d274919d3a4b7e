from pathlib import Path

from examples.team.journal import Journal, JournalReader


def test_a_reader_sees_each_whole_line_once_and_waits_for_a_torn_one(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "ada.jsonl", "ada")
    reader = JournalReader(tmp_path)
    journal.chose("trying", candidate="a")
    assert [e["candidate"] for e in reader.news()] == ["a"]
    with (tmp_path / "ada.jsonl").open("a") as torn:
        torn.write('{"event": "torn", ')
    assert list(reader.news()) == []
    with (tmp_path / "ada.jsonl").open("a") as torn:
        torn.write('"agent": "ada"}\n')
    assert [e["event"] for e in reader.news()] == ["torn"]
    journal.close()


def test_a_reply_is_kept_whole_and_a_long_argument_by_its_length(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "ada.jsonl", "ada")
    journal.replied(
        "compile_and_verify", {"source": "x" * 9, "wait_s": 1}, {"state": "done"}, False
    )
    (entry,) = JournalReader(tmp_path).news()
    assert entry["arguments"] == {"source": "9 characters", "wait_s": 1}
    assert (entry["agent"], entry["reply"], entry["refused"]) == ("ada", {"state": "done"}, False)
    journal.close()
