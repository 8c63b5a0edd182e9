import { test } from 'tap'
import { parseStackTrace } from '../../../src/stack-trace/parse.ts'

test(
  'lines of several containers that stand in turns are put together, and their failures keep the order of ' +
    'the text',
  async t => {
    const web = ['TypeError: a', '    at f (/web.js:1:2)', '    at g (/web.js:3:4)'].map(line => `web-1  | ${line}`)
    const job = ['Traceback (most recent call last):', '  File "/job.py", line 3, in h', 'KeyError: 1'].map(
      line => `job-1  | ${line}`,
    )
    const { exceptions, frames } = parseStackTrace(job.flatMap((line, index) => [line, web[index] ?? '']).join('\n'))
    t.same(
      exceptions.map(({ type, message }) => [type, message]),
      [
        ['KeyError', '1'],
        ['TypeError', 'a'],
      ],
    )
    t.same(
      frames.map(({ file }) => file),
      ['/job.py', '/web.js', '/web.js'],
    )
  },
)
