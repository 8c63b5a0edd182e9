import { test } from 'tap'
import { parseStackTrace } from '../../../../src/stack-trace/parse.ts'
import { readTrace } from '../../../helpers/trace-fixtures.ts'
import { summary } from '../../../helpers/trace-summary.ts'

const errors = (name: string) => summary(readTrace(name)).filter(({ head }) => head.startsWith('root '))

test('what only warns leaves the errors the last word; rubocop tells conventions from errors', async t => {
  t.same(errors('rubocop-1.39'), [])
  t.same(summary(readTrace('rubocop-1.39'))[1], {
    head: 'separate Lint/UselessAssignment: Useless assignment to variable - unused.',
    frames: ['style.rb:2:3 null'],
  })
  t.same(errors('pylint-2.16').length, 1)
})

test(
  'forms of other tools: msbuild, maven, eslint compact and unix, kotlinc with URLs, Windows paths with ' + 'spaces',
  async t => {
    for (const [line, head, frame] of [
      [
        "     1>C:\\My Shop\\Till.cs(3,4): error CS0103: The name 'x' does not exist [C:\\My Shop\\Shop.csproj]",
        "root CS0103: The name 'x' does not exist",
        'C:\\My Shop\\Till.cs:3:4 null',
      ],
      [
        '[ERROR] /srv/app/Till.java:[5,17] cannot find symbol',
        'root error: cannot find symbol',
        '/srv/app/Till.java:5:17 null',
      ],
      [
        '/srv/app/till.js: line 3, col 5, Error - Unexpected var. (no-var)',
        'root no-var: Unexpected var.',
        '/srv/app/till.js:3:5 null',
      ],
      [
        '/srv/app/till.js:3:5: Unexpected var. [Error/no-var]',
        'root no-var: Unexpected var.',
        '/srv/app/till.js:3:5 null',
      ],
      [
        "e: file:///srv/app/Till.kt:3:18 Unresolved reference 'total'.",
        "root error: Unresolved reference 'total'.",
        '/srv/app/Till.kt:3:18 null',
      ],
      [
        'e: /srv/app/Till.kt: (3, 18): Unresolved reference: total',
        'root error: Unresolved reference: total',
        '/srv/app/Till.kt:3:18 null',
      ],
      ['vet: ./till.go:3:4: undefined: x', 'root error: undefined: x', './till.go:3:4 null'],
      ['till.cpp(3): error C2065: undeclared identifier', 'root C2065: undeclared identifier', 'till.cpp:3 null'],
    ] as const) {
      t.same(summary(line), [{ head, frames: [frame] }], line)
    }
  },
)

test('lines of a log that hold a place are no diagnostics', async t => {
  for (const line of [
    'server.go:12: listening on :8080',
    'INFO app.py:12: started',
    '2026/11/21 10:00:00 main.go:12: connected',
    'GET /index.php:80: ok',
    '12:30:45: error: nothing',
  ]) {
    t.same(
      parseStackTrace(`${line}\nerror at /srv/x.c:1:2: error: real`).exceptions.map(({ message }) => message),
      ['real'],
      line,
    )
  }
})
