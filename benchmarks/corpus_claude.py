"""Rows of Claude Code transcripts, as bytes: prompts, steps with their results told twice, and the metadata and
attachments that make up half of all rows.
"""

from corpus_text import Maker

_LISTING = 40
_IMAGE = 0.004
"""Of the results: a picture of 50 to 500 kB."""


class ClaudeTalk:
    """One transcript of Claude Code; `subagent`: of a helper, with its id."""

    def __init__(self, make: Maker, subagent: str = "") -> None:
        self._make = make
        self._parent = b"null"
        self._side = b"true" if subagent else b"false"
        own = f',"agentId":"{subagent}"' if subagent else ""
        self._envelope = (
            f'"userType":"external","entrypoint":"cli","cwd":"{make.workspace}","sessionId":"{make.session}",'
            f'"version":"2.1.270","gitBranch":"main"{own}}}'
        ).encode()
        self._session = f'"sessionId":"{make.session}"}}'.encode()
        self._files: list[bytes] = []
        self._told = 0

    def until(self, wanted: int, ending: str) -> None:
        """Turns until it has the wanted size, then the ending."""
        make = self._make
        self._beginning()
        damaged = ending != "nul"
        while True:
            self._turn(wanted)
            if not damaged and make.size > wanted // 2:
                make.add(b"\0" * 512)
                damaged = True
            if make.size >= wanted:
                break
        self._end(ending)

    def _row(self, front: bytes, back: bytes = b"") -> bytes:
        """A row of the talk: what stands before and behind its id and time."""
        make, mine = self._make, self._make.id()
        make.add(
            b'{"parentUuid":%b,"isSidechain":%b,%b,"uuid":"%b","timestamp":"%b",%b%b'
            % (self._parent, self._side, front, mine, make.tick(), back, self._envelope)
        )
        self._parent = b'"%b"' % mine
        return mine

    def _ask(self, words: bytes) -> None:
        self._row(
            b'"promptId":"%b","type":"user","message":{"role":"user","content":"%b"}' % (self._make.id(), words),
            b'"permissionMode":"acceptEdits","origin":{"kind":"human"},"promptSource":"typed",',
        )

    def _reply(self, block: bytes, stop: bytes) -> None:
        make = self._make
        usage = b'{"input_tokens":%d,"cache_creation_input_tokens":%d,"cache_read_input_tokens":%d,"cache_creation":{"ephemeral_5m_input_tokens":%d,"ephemeral_1h_input_tokens":0},"output_tokens":%d,"service_tier":"standard"}'  # noqa: E501 - a row is easier to check in one piece
        numbers = tuple(make.chance.randrange(20_000) for _ in range(5))
        self._row(
            b'"message":{"model":"claude-sonnet-5","id":"msg_%08d","type":"message","role":"assistant","content":[%b],'
            b'"stop_reason":%b,"stop_sequence":null,"usage":%b},"requestId":"req_%08d","type":"assistant"'
            % (make.count, block, stop, usage % numbers, make.count)
        )

    def _attach(self, kind: bytes, rest: bytes) -> None:
        self._row(b'"attachment":{"type":"%b",%b},"type":"attachment"' % (kind, rest))

    def _beginning(self) -> None:
        make = self._make
        make.add(b'{"type":"permission-mode","permissionMode":"acceptEdits",' + self._session)
        self._attach(b"skill_listing", b'"content":"%b","skillCount":31' % make.pool.lines(make.chance, _LISTING))
        self._attach(
            b"deferred_tools_delta", b'"addedNames":["WebFetch","CronCreate"],"addedLines":"%b"' % make.words(90)
        )

    def _turn(self, wanted: int) -> None:
        make, chance = self._make, self._make.chance
        self._ask(make.words(60))
        self._snapshot()
        for _ in range(chance.randint(1, 16)):
            self._step()
            if make.size >= wanted:
                break
        self._reply(b'{"type":"text","text":"%b"}' % make.pool.lines(chance, chance.randint(1, 14)), b'"end_turn"')
        self._row(
            b'"type":"system","subtype":"stop_hook_summary","hookCount":1,"hookInfos":[{"command":"./notify.sh",'
            b'"durationMs":161}],"hookErrors":[],"preventedContinuation":false,"stopReason":"","hasOutput":false'
        )
        self._row(b'"type":"system","subtype":"turn_duration","durationMs":22830,"messageCount":18', b'"isMeta":false,')
        self._metadata()

    def _metadata(self) -> None:
        make = self._make
        make.add(
            b'{"type":"last-prompt","lastPrompt":"%b","leafUuid":%b,' % (make.words(12), self._parent) + self._session
        )
        make.add(b'{"type":"ai-title","aiTitle":"%b",' % make.words(6) + self._session)
        make.add(b'{"type":"mode","mode":"normal",' + self._session)
        make.add(b'{"type":"permission-mode","permissionMode":"acceptEdits",' + self._session)
        self._told = make.size

    def _snapshot(self) -> None:
        make = self._make
        kept = b",".join(
            b'"%b":{"backupFileName":"%016x@v1","version":1,"backupTime":"%b"}' % (name, hash_of(name), make.tick())
            for name in self._files
        )
        make.add(
            b'{"type":"file-history-snapshot","messageId":%b,"snapshot":{"messageId":%b,"trackedFileBackups":{%b},'
            b'"timestamp":"%b"},"isSnapshotUpdate":false}' % (self._parent, self._parent, kept, make.tick())
        )

    def _step(self) -> None:
        make, chance = self._make, self._make.chance
        if chance.random() < 0.3:
            sealed = make.pool.blob(chance, int(chance.lognormvariate(0, 0.8) * 900) + 200)
            self._reply(b'{"type":"thinking","thinking":"%b","signature":"%b"}' % (make.words(80), sealed), b"null")
        if chance.random() < 0.5:
            self._reply(b'{"type":"text","text":"%b"}' % make.words(40), b"null")
        call = b"toolu_%06d%010x" % (make.count, chance.getrandbits(40))
        name, asked, content, told = self._tool()
        self._reply(
            b'{"type":"tool_use","id":"%b","name":"%b","input":%b,"caller":{"type":"direct"}}' % (call, name, asked),
            b'"tool_use"',
        )
        source = self._parent
        for _ in range(chance.choice((0, 1, 1, 1, 2))):
            hook = b'"hookName":"PreToolUse:%b","hookEvent":"PreToolUse","toolUseID":"%b","exitCode":0,"stdout":"","stderr":"","command":"./check.sh","durationMs":31,"content":""'  # noqa: E501 - a row is easier to check in one piece
            self._attach(b"hook_success", hook % (name, call))
        failed = b"true" if told.startswith(b'"Error') else b"false"
        self._row(
            b'"promptId":"%b","type":"user","message":{"role":"user","content":[{"tool_use_id":"%b","type":'
            b'"tool_result","content":%b,"is_error":%b}]}' % (make.id(), call, content, failed),
            b'"toolUseResult":%b,"sourceToolAssistantUUID":%b,' % (told, source),
        )
        if chance.random() < 0.25:
            self._attach(b"todo_reminder", b'"content":[],"itemCount":0')
        if make.size - self._told > 64 * 1024:
            self._metadata()

    def _tool(self) -> tuple[bytes, bytes, bytes, bytes]:
        """A tool's name, its arguments, its answer, and the same as the program keeps it for itself."""
        make, chance = self._make, self._make.chance
        path = f"{make.workspace}/src/module_{chance.randrange(30)}.py".encode()
        draw = chance.random()
        if draw < _IMAGE:
            sealed = make.pool.blob(chance, chance.randint(50_000, 500_000))
            image = b'{"type":"image","source":{"type":"base64","media_type":"image/png","data":"%b"}}' % sealed
            told = b'{"type":"image","file":{"base64":"%b","type":"image/png","originalSize":60000}}' % sealed
            return b"Read", b'{"file_path":"%b.png"}' % path, b"[%b]" % image, told
        if draw < 0.45:
            output = make.output(12)
            asked = b'{"command":"pytest -q %b","description":"Run the tests"}' % make.words(4)
            if chance.random() < 0.08:
                failed = b"Exit code 1\\n" + output
                return b"Bash", asked, b'"%b"' % failed, b'"Error: %b"' % failed
            told = b'{"stdout":"%b","stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false}' % output
            return b"Bash", asked, b'"%b"' % output, told
        if draw < 0.6:
            output = make.output(8)
            told = b'{"mode":"content","numFiles":0,"filenames":[],"content":"%b","numLines":9}' % output
            return b"Grep", b'{"pattern":"%b","output_mode":"content"}' % make.words(3), b'"%b"' % output, told
        if draw < 0.8:
            output = make.output(80, 1.0)
            told = (
                b'{"type":"text","file":{"filePath":"%b","content":"%b","numLines":80,"startLine":1,"totalLines":80}}'
            )
            return b"Read", b'{"file_path":"%b"}' % path, b'"%b"' % output, told % (path, output)
        return self._edit(path)

    def _edit(self, path: bytes) -> tuple[bytes, bytes, bytes, bytes]:
        make = self._make
        name = path.rpartition(b"/src/")[2]
        if name not in self._files:
            self._files.append(b"src/" + name)
        before, after, whole = make.words(14), make.words(14), make.output(120, 0.8)
        patch = b'[{"oldStart":1,"oldLines":1,"newStart":1,"newLines":1,"lines":["-%b","+%b"]}]' % (before, after)
        told = b'{"filePath":"%b","oldString":"%b","newString":"%b","originalFile":"%b\\n%b","structuredPatch":%b,"userModified":false,"replaceAll":false}'  # noqa: E501 - a row is easier to check in one piece
        asked = b'{"replace_all":false,"file_path":"%b","old_string":"%b","new_string":"%b"}' % (path, before, after)
        said = b'"The file %b has been updated successfully."' % path
        return b"Edit", asked, said, told % (path, before, after, before, whole, patch)

    def _end(self, ending: str) -> None:
        make = self._make
        if ending in {"dangling", "cut"}:
            self._ask(make.words(20))
            asked = b'{"command":"git push origin main","description":"Push"}'
            self._reply(
                b'{"type":"tool_use","id":"toolu_last%d","name":"Bash","input":%b}' % (make.count, asked), b'"tool_use"'
            )
        if ending == "error":
            self._ask(make.words(20))
            said = "You've hit your limit · resets 2pm".encode()
            self._row(
                b'"type":"assistant","message":{"id":"%b","model":"<synthetic>","role":"assistant","stop_reason":'
                b'"stop_sequence","type":"message","content":[{"type":"text","text":"%b"}]}' % (make.id(), said),
                b'"error":"rate_limit","isApiErrorMessage":true,"apiErrorStatus":429,',
            )


def hash_of(name: bytes) -> int:
    """A number that looks like a hash."""
    return int.from_bytes(name[-8:], "big")
