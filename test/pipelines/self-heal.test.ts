import { test } from 'tap'
import { buildWithModel } from '../helpers/build-with-model.ts'
import { inJail } from '../helpers/sandbox.ts'

const PYTHON = {
  'run.sh': 'python3 main.py\n',
  'main.py': 'from report import average\n\nprint(average([]))\n',
  'report.py': 'def average(values):\n    """The mean."""\n    total = sum(values)\n    return total / len(values)\n',
}
const MEND = 'An empty list.\n\n```diff\n--- a/report.py\n+++ b/report.py\n@@ -2,3 +2,5 @@\n     """The mean."""\n     total = sum(values)\n+    if not values:\n+        return 0\n     return total / len(values)\n```\n'

test('a Python program that fails is healed by one change; the model sees the failing line marked', inJail, async t => {
  const { post, sent } = await buildWithModel(t, [{ text: MEND }])
  const job = (await post('/self-heal', { prompt: 'Prints the mean of nothing', files: PYTHON })).json()
  t.match(job, { status: 'succeeded', result: { healed: true, stopped_because: 'healed', attempts: [{ exit_code: 1, stderr: /ZeroDivisionError/ }, { exit_code: 0, stdout: '0\n' }] } })
  t.match(sent(0)[2]?.content, />>> +4 \| {5}return total \/ len\(values\)/)
})

test('a server is healed when it listens, and is ended then; nothing connects to it', inJail, async t => {
  const server = 'import http.server, sys\nport = int(sys.argv[1])\nhttp.server.HTTPServer(("127.0.0.1", port), http.server.BaseHTTPRequestHandler).serve_forever()\n'
  const { post } = await buildWithModel(t, [])
  const job = (await post('/self-heal', { prompt: 'A server', files: { 'run.sh': 'python3 server.py 8123\n', 'server.py': server }, ready_when: { port: 8123 } })).json()
  t.match(job, { status: 'succeeded', result: { healed: true, stopped_because: 'healed', attempts: [{ ready: true, timed_out: false }] } })
  t.equal(job.result.attempts.length, 1)
})
