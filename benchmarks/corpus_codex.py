"""Rows of Codex rollouts, as bytes: the talk and the calls as response items, the same again as events or items."""

from corpus_text import Maker

_GIT = b'{"commit_hash":"9c1e0f2a00000000000000000000000000000000","branch":"main"}'
_IMAGE = 0.002


class CodexTalk:
    """One rollout. Every other one is of the builds that write `item_completed`."""

    def __init__(self, make: Maker, *, paginated: bool) -> None:
        self._make = make
        self._paginated = paginated
        self._turn_id = b""
        self._where = make.workspace.encode()

    def until(self, wanted: int, ending: str) -> None:
        """Turns until it has the wanted size, then the ending."""
        make = self._make
        head = b'"id":"%b","timestamp":"%b","cwd":"%b","originator":"codex-tui","cli_version":"0.145.0","source":"cli","model_provider":"openai","base_instructions":{"text":"%b"},"git":%b'  # noqa: E501 - a row is easier to check in one piece
        told = make.session.encode(), make.tick(), self._where, make.pool.lines(make.chance, 300), _GIT
        self._row(b"session_meta", head % told)
        damaged = ending != "nul"
        while True:
            self._turn(wanted)
            if not damaged and make.size > wanted // 2:
                make.add(b"\0" * 512)
                damaged = True
            if make.size >= wanted:
                break
        self._end(ending)

    def _row(self, kind: bytes, payload: bytes) -> None:
        make = self._make
        make.add(b'{"timestamp":"%b","type":"%b","payload":{%b}}' % (make.tick(), kind, payload))

    def _item(self, payload: bytes) -> None:
        self._row(b"response_item", payload)

    def _event(self, payload: bytes) -> None:
        self._row(b"event_msg", payload)

    def _begin(self) -> None:
        make = self._make
        self._turn_id = make.id()
        context = b'"turn_id":"%b","cwd":"%b","approval_policy":"on-request","sandbox_policy":{"type":"workspace-write","writable_roots":[],"network_access":false},"model":"gpt-5.6","effort":"high","summary":"auto","user_instructions":"%b"'  # noqa: E501 - a row is easier to check in one piece
        self._event(b'"type":"task_started","turn_id":"%b","model_context_window":258400' % self._turn_id)
        self._row(b"turn_context", context % (self._turn_id, self._where, make.pool.lines(make.chance, 20)))
        asked = make.words(60)
        self._item(b'"type":"message","role":"user","content":[{"type":"input_text","text":"%b"}]' % asked)
        self._event(b'"type":"user_message","message":"%b","images":[],"local_images":[],"text_elements":[]' % asked)

    def _turn(self, wanted: int) -> None:
        make = self._make
        self._begin()
        for _ in range(make.chance.randint(1, 16)):
            self._step()
            if make.size >= wanted:
                break
        said = make.pool.lines(make.chance, make.chance.randint(1, 12))
        self._say(said, b"final_answer")
        self._event(b'"type":"task_complete","turn_id":"%b","last_agent_message":"%b"' % (self._turn_id, said))

    def _say(self, said: bytes, phase: bytes) -> None:
        if self._paginated:
            item = b'{"type":"AgentMessage","id":"msg_%06d","content":[{"type":"Text","text":"%b"}],"phase":"%b"}'
            self._done(item % (self._make.count, said, phase))
        else:
            self._event(b'"type":"agent_message","message":"%b","phase":"%b"' % (said, phase))
        content = b'[{"type":"output_text","text":"%b"}]' % said
        self._item(
            b'"type":"message","id":"msg_%06d","role":"assistant","content":%b' % (self._make.count - 1, content)
        )

    def _done(self, item: bytes) -> None:
        head = b'"type":"item_completed","thread_id":"%b","turn_id":"%b","item":%b,"completed_at_ms":1788627010002'
        self._event(head % (self._make.session.encode(), self._turn_id, item))

    def _step(self) -> None:
        """A call with its output, and the noise around it."""
        make, chance = self._make, self._make.chance
        sealed = make.pool.blob(chance, int(chance.lognormvariate(0, 0.7) * 1300) + 300)
        summary = b'[{"type":"summary_text","text":"**%b**"}]' % make.words(6)
        self._item(b'"type":"reasoning","summary":%b,"content":null,"encrypted_content":"%b"' % (summary, sealed))
        if chance.random() < 0.3:
            self._say(make.words(30), b"commentary")
        call = b"call_%06d%010x" % (make.count, chance.getrandbits(40))
        if chance.random() < 0.85:
            self._command(call)
        else:
            self._patch(call)
        used = (
            b'{"input_tokens":%d,"cached_input_tokens":2560,"output_tokens":246,"reasoning_output_tokens":192,"total_tokens":3141}'
            % chance.randrange(90_000)
        )
        limits = b'{"limit_id":"codex","primary":{"used_percent":%d.0,"window_minutes":300,"resets_at":1771864831},"secondary":null,"credits":{"has_credits":false,"unlimited":false,"balance":null},"plan_type":"plus","rate_limit_reached_type":null}'  # noqa: E501 - a row is easier to check in one piece
        info = b'{"total_token_usage":%b,"last_token_usage":%b,"model_context_window":258400}' % (used, used)
        self._event(b'"type":"token_count","info":%b,"rate_limits":%b' % (info, limits % chance.randrange(90)))

    def _command(self, call: bytes) -> None:
        make = self._make
        line = b"pytest -q " + make.words(4)
        words = b'{\\"cmd\\":\\"%b\\",\\"workdir\\":\\"%b\\"}' % (line, self._where)
        self._item(b'"type":"function_call","name":"exec_command","arguments":"%b","call_id":"%b"' % (words, call))
        if make.chance.random() < _IMAGE:
            image = make.pool.blob(make.chance, make.chance.randint(50_000, 500_000))
            content = b'[{"type":"input_image","image_url":"data:image/png;base64,%b"}]' % image
            self._item(b'"type":"function_call_output","call_id":"%b","output":%b' % (call, content))
            return
        output, code = make.output(16, 1.2, 160), int(make.chance.random() < 0.1)
        if self._paginated:
            item = b'{"type":"CommandExecution","id":"%b","process_id":"37315","command":["/bin/bash","-lc","%b"],"cwd":"file://%b","parsed_cmd":[{"type":"unknown","cmd":"%b"}],"source":"unified_exec_startup","status":"%b","stdout":"","stderr":"","aggregated_output":"%b","exit_code":%d,"duration":{"secs":2,"nanos":1}}'
            status = b"failed" if code else b"completed"
            self._done(item % (call, line, self._where, line, status, output, code))
        told = b"Chunk ID: 1f0c\\nWall time: 2.1 seconds\\nProcess exited with code %d\\nOriginal token count: 12\\nOutput:\\n%b"  # noqa: E501 - a row is easier to check in one piece
        self._item(b'"type":"function_call_output","call_id":"%b","output":"%b"' % (call, told % (code, output)))

    def _patch(self, call: bytes) -> None:
        make = self._make
        path, before, after = f"src/module_{make.chance.randrange(30)}.py".encode(), make.words(8), make.words(8)
        patch = b"*** Begin Patch\\n*** Update File: %b\\n@@\\n-%b\\n+%b\\n*** End Patch\\n" % (path, before, after)
        self._item(
            b'"type":"custom_tool_call","status":"completed","call_id":"%b","name":"apply_patch","input":"%b"'
            % (call, patch)
        )
        done = b"Success. Updated the following files:\\nM %b\\n" % path
        change = b'{"%b/%b":{"type":"update","unified_diff":"@@ -1 +1 @@\\n-%b\\n+%b\\n","move_path":null}}' % (
            self._where,
            path,
            before,
            after,
        )
        self._event(
            b'"type":"patch_apply_end","call_id":"%b","turn_id":"%b","stdout":"%b","stderr":"","success":true,"changes":%b,"status":"completed"'
            % (call, self._turn_id, done, change)
        )
        said = b'{\\"output\\":\\"%b\\",\\"metadata\\":{\\"exit_code\\":0}}' % done.replace(b"\\n", b"\\\\n")
        self._item(b'"type":"custom_tool_call_output","call_id":"%b","output":"%b"' % (call, said))

    def _end(self, ending: str) -> None:
        make = self._make
        if ending in {"dangling", "cut"}:
            self._begin()
            words = b'{\\"cmd\\":\\"git push origin main\\",\\"workdir\\":\\"%b\\"}' % self._where
            self._item(
                b'"type":"function_call","name":"exec_command","arguments":"%b","call_id":"call_l%d"'
                % (words, make.count)
            )
        if ending == "error":
            self._begin()
            error = b'{"message":"You\'ve hit your usage limit.","codex_error_info":"usage_limit_exceeded"}'
            self._event(
                b'"type":"task_complete","turn_id":"%b","last_agent_message":null,"error":%b' % (self._turn_id, error)
            )
