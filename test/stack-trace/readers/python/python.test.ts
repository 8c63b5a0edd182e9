import { test } from 'tap'
import { parseStackTrace } from '../../../../src/stack-trace/parse.ts'
import { summary } from '../../../helpers/trace-summary.ts'
import { readTrace, traceNames } from '../../../helpers/trace-fixtures.ts'

const versionsOf = (name: string): string[] =>
  traceNames().filter(trace => trace.startsWith('python-') && trace.endsWith(`-${name}`))

test('a plain traceback: frames outermost first, code below them, carets ignored', async t => {
  for (const name of ['python-3.11-plain', 'python-3.13-plain']) {
    t.same(
      summary(readTrace(name)),
      [
        {
          head: 'root ZeroDivisionError: division by zero',
          frames: ['/tmp/app/py/plain.py:12 <module>', '/tmp/app/py/plain.py:10 main', '/tmp/app/py/plain.py:6 total'],
        },
      ],
      name,
    )
    const last = parseStackTrace(readTrace(name)).frames.at(-1)
    t.equal(last?.sourceText, 'return sum(prices) / order["customers"]')
    t.equal(last?.raw, 'File "/tmp/app/py/plain.py", line 6, in total')
    t.equal(last?.column, null)
  }
})

test('code that spans lines is known by its first line, and the next frame is not lost', async t => {
  const frames = parseStackTrace(readTrace('python-3.13-spread')).frames
  t.same(
    frames.map(({ line, sourceText }) => [line, sourceText]),
    [
      [8, 'total('],
      [3, 'price * count'],
    ],
  )
})

test('"direct cause" makes the first exception a cause of the last, which is the root', async t => {
  for (const name of versionsOf('cause')) {
    t.same(
      summary(readTrace(name)).map(({ head, frames }) => [head, frames.length]),
      [
        ["cause KeyError: 'A-17'", 2],
        ["root store.StoreError: no order 'A-17'", 3],
      ],
      name,
    )
  }
})

test('"during handling" makes the first exception the context of the last', async t => {
  t.same(
    summary(readTrace('python-3.11-context')).map(({ head }) => head),
    ["context KeyError: 'A-17'", "root AttributeError: 'KeyError' object has no attribute 'reason'"],
  )
})

test('a syntax error has a frame without a function, the last', async t => {
  t.same(summary(readTrace('python-3.11-syntax'))[0], {
    head: "root SyntaxError: '(' was never closed",
    frames: ['/tmp/app/py/syntax.py:1 <module>', '/tmp/app/py/broken.py:1 null'],
  })
})

test('a message of several lines is kept whole', async t => {
  for (const name of versionsOf('multiline')) {
    t.equal(
      parseStackTrace(readTrace(name)).exceptions[0]?.message,
      '2 values are wrong:\n  price: -1\n  count: 0',
      name,
    )
  }
})

test('recursion is one frame with a count, the elided lines included', async t => {
  for (const name of versionsOf('recursion')) {
    t.same(
      summary(readTrace(name))[0]?.frames,
      ['/tmp/app/py/recursion.py:6 <module>', '/tmp/app/py/recursion.py:2 walk ×999'],
      name,
    )
  }
})

test('members of an exception group are exceptions of their own, whatever their depth', async t => {
  for (const name of versionsOf('group')) {
    t.same(
      summary(readTrace(name)).map(({ head, frames }) => [head, frames.length]),
      [
        ['root ExceptionGroup: rows failed (3 sub-exceptions)', 2],
        ["grouped ValueError: invalid literal for int() with base 10: 'x'", 2],
        ["grouped ValueError: invalid literal for int() with base 10: 'y'", 2],
        ['grouped ExceptionGroup: nested (2 sub-exceptions)', 0],
        ['grouped TypeError: bad type', 0],
        ["grouped KeyError: 'k'", 0],
      ],
      name,
    )
  }
})

test(
  'several tracebacks of a log are separate exceptions, equal ones are folded, and log lines are no ' + 'message',
  async t => {
    const trace = parseStackTrace(readTrace('python-3.11-twice'))
    t.same(
      trace.exceptions.map(({ message, relation, count, chain }) => [message, relation, count, chain]),
      [
        ["'a'", 'root', 2, 0],
        ["'b'", 'root', 1, 1],
        ["'c'", 'root', 1, 2],
      ],
    )
    t.equal(trace.frames.length, 6)
  },
)

test('frames without the header are a traceback, indented or not', async t => {
  t.same(
    summary(
      'File "/srv/a.py", line 3, in f\n    g()\nFile "/srv/b.py", line 4, in g\n    return 1 / 0\n' +
        'ZeroDivisionError: division by zero',
    )[0],
    {
      head: 'root ZeroDivisionError: division by zero',
      frames: ['/srv/a.py:3 f', '/srv/b.py:4 g'],
    },
  )
})

test('a traceback that lost its indentation keeps frames, code and error', async t => {
  const text =
    'Traceback (most recent call last):\nFile "/srv/a.py", line 3, in f\ng()\n' +
    'File "/srv/b.py", line 4, in g\nreturn 1 / 0\nZeroDivisionError: division by zero'
  t.same(summary(text)[0]?.head, 'root ZeroDivisionError: division by zero')
  t.same(
    parseStackTrace(text).frames.map(({ sourceText }) => sourceText),
    ['g()', 'return 1 / 0'],
  )
})

test('a traceback that was cut off gives what it has', async t => {
  t.same(
    summary('Traceback (most recent call last):\n  File "/srv/a.py", line 3, in f\n    g()\n  File "/srv/b.py", li'),
    [{ head: 'root null: null', frames: ['/srv/a.py:3 f'] }],
  )
})

test('in a group, what a member was raised from stays its cause, and a group in a group is a member', async t => {
  for (const version of ['3.11', '3.12', '3.13']) {
    t.same(
      summary(readTrace(`python-${version}-taskgroup`)).map(({ head }) => head),
      [
        'cause ExceptionGroup: unhandled errors in a TaskGroup (2 sub-exceptions)\nwhile paying',
        "cause KeyError: 'price'",
        'grouped ValueError: no price',
        'grouped ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)',
        "cause KeyError: 'count'",
        'grouped ValueError: no price',
        'root RuntimeError: shop is closed',
      ],
      version,
    )
  }
})

test('lines of code that the runtime left out do not end the traceback', async t => {
  t.same(
    parseStackTrace(readTrace('python-3.13-elided')).frames.map(({ line, sourceText }) => [line, sourceText]),
    [
      [21, 'main()'],
      [10, 'return total('],
      [6, 'return a + b + c'],
    ],
  )
})

test('functions that call each other are one cycle with counts', async t => {
  for (const version of ['3.6', '3.8', '3.11', '3.12', '3.13']) {
    t.match(
      summary(readTrace(`python-${version}-cycle`))[0]?.frames.slice(1, 3),
      [/:5 even ×\d\d$/, /:9 odd ×\d\d$/],
      version,
    )
  }
})

test("a logger's entries and a unittest report give each traceback", async t => {
  for (const version of ['2.7', '3.6', '3.8', '3.11', '3.12', '3.13']) {
    t.same(
      summary(readTrace(`python-${version}-logged`)).map(({ head }) => head),
      ["root KeyError: 'price'", "root KeyError: 'count'"],
      version,
    )
    const report = summary(readTrace(`python-${version}-unittest`)).map(({ head }) => head)
    t.ok(
      report.includes('root ValueError: nothing to pay\nfor cart C-17') &&
        report.includes('root AssertionError: 1 != 2'),
      version,
    )
    t.match(
      summary(readTrace(`python-${version}-doctest`)).map(({ head }) => head),
      [/^root null: Failed example:\n/, /^root null: Failed example:\n/, "root KeyError: 'price'"],
      version,
    )
  }
})

test('an error tracker prints the error first', async t => {
  t.same(
    summary(
      'KeyError: \'price\'\n  File "shop.py", line 2, in total\n    return x\n' +
        '  File "shop.py", line 6, in price\n    y = z\nRuntimeError: cannot pay\n' +
        '  File "shop.py", line 12, in pay\n',
    ),
    [
      { head: "root KeyError: 'price'", frames: ['shop.py:2 total', 'shop.py:6 price'] },
      { head: 'root RuntimeError: cannot pay', frames: ['shop.py:12 pay'] },
    ],
  )
})

test("Django's report: the error behind the frames, the earlier one named in the phrase", async t => {
  const text = [
    'Traceback (most recent call last):',
    '  File "/srv/app/views.py", line 6, in index',
    '    return price(line)',
    '',
    "The above exception ('price') was the direct cause of the following exception:",
    '  File "/srv/app/views.py", line 8, in index',
    '    raise Missing("x") from error',
    '',
    'Exception Type: Missing at /shop/',
    'Exception Value: no price',
  ].join('\n')
  t.same(summary(text), [
    { head: "cause null: 'price'", frames: ['/srv/app/views.py:6 index'] },
    { head: 'root Missing: no price', frames: ['/srv/app/views.py:8 index'] },
  ])
})

test('compiled modules: the place in the C code is no part of the function', async t => {
  t.equal(
    summary(readTrace('python-3.4-pyx'))[0]?.frames.at(-1),
    'pandas/src/hashtable_class_helper.pxi:740 pandas.hashtable.PyObjectHashTable.get_item',
  )
})

test('a service that announces the error above the header', async t => {
  t.same(
    summary(
      '[ERROR] KeyError: 1\nTraceback (most recent call last):\n' +
        '  File "/var/task/app.py", line 3, in handler\n    return x\n',
    ),
    [{ head: 'root KeyError: 1', frames: ['/var/task/app.py:3 handler'] }],
  )
})

test('source code that quotes a traceback is no frame', async t => {
  t.same(parseStackTrace('assert \'File "x.py", line 3\' in out').frames, [])
})

test('a message that the interpreter writes in one line ends there, whatever the log goes on with', async t => {
  t.same(summary(readTrace('python-unprefixed-log')), [
    {
      head: "root ModuleNotFoundError: No module named 'rich' ×2",
      frames: [
        '/workspace/kohya_ss/setup/validate_requirements.py:18 <module>',
        '/workspace/kohya_ss/kohya_gui/custom_logging.py:6 <module>',
      ],
    },
  ])
})

test('an entry of a log ends a message: with a level behind a name, of a server, of key and value', async t => {
  for (const entry of [
    'shop.views - INFO - next',
    '[shop.views] [INFO] next',
    '{till.py:851} DEBUG - next',
    '(MainThread) ERROR: next',
    '127.0.0.1 - - [22/Nov/2026 10:00:00] "GET / HTTP/1.1" 200 -',
    'level=info msg=next',
    'info: next',
    'time="2026-11-22T10:00:00Z" level=info',
  ]) {
    t.equal(
      parseStackTrace(
        `Traceback (most recent call last):\n  File "/srv/a.py", line 3, in f\n    g()\nValueError: bad\n${entry}\n`,
      ).exceptions[0]?.message,
      'bad',
      entry,
    )
  }
  for (const more of [
    'LINE 1: SELECT',
    '[SQL: SELECT 1]',
    'DETAIL:  Key exists',
    '1 validation error for Till',
    'expected: 3',
  ]) {
    t.equal(
      parseStackTrace(
        `Traceback (most recent call last):\n  File "/srv/a.py", line 3, in f\n    g()\nValueError: bad\n${more}\n`,
      ).exceptions[0]?.message,
      `bad\n${more}`,
      more,
    )
  }
})

test("a second timestamp is the program's own: it ends a message that a container stamped line by line", async t => {
  const rows = [
    'Traceback (most recent call last):',
    '  File "/srv/a.py", line 3, in f',
    '    g()',
    'ValueError: bad',
    'worse',
    '2026-11-22 10:00:02,100 shop served 3',
  ].map(line => `2026-11-22T10:00:01.1Z ${line}`)
  t.equal(parseStackTrace(rows.join('\n')).exceptions[0]?.message, 'bad\nworse')
})

test('lost indentation: marks below the code, and code at the end of the text', async t => {
  const { frames } = parseStackTrace(readTrace('python-unindented-carets'))
  t.same(
    frames.map(({ sourceText }) => sourceText),
    ['result = self.fn(*self.args, **self.kwargs)'],
  )
  const cut = parseStackTrace(
    'Traceback (most recent call last):\nFile "/srv/a.py", line 3, in f\ng()\n' +
      'File "/srv/b.py", line 4, in g\nasync_remove_state_for_listene',
  )
  t.same([cut.exceptions[0]?.type, cut.frames.at(-1)?.sourceText], [null, 'async_remove_state_for_listene'])
})

test('a traceback from another process is quoted, and caused the one below it', async t => {
  t.same(
    summary(
      'shop.RemoteTraceback:\n"""\nTraceback (most recent call last):\n  File "/srv/a.py", line 3, in f\n' +
        '    g()\nValueError: bad\n"""\n\n' +
        'The above exception was the direct cause of the following exception:\n\n' +
        'Traceback (most recent call last):\n  File "/srv/b.py", line 4, in h\n    f()\nValueError: bad\n',
    ).map(({ head }) => head),
    ['cause ValueError: bad', 'root ValueError: bad'],
  )
})
