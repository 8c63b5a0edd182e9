import fc from 'fast-check'
import { test } from 'tap'
import { dartFrame } from '../../../../src/stack-trace/readers/dart/dart.ts'
import { languagesOf, readExceptions } from '../../../helpers/read-trace.ts'
import { readTrace } from '../../../helpers/trace-fixtures.ts'
import { runs } from '../../../helpers/property-runs.ts'
import { shown } from '../../../helpers/shown-trace.ts'

const read = (name: string) => readExceptions(readTrace(name))

test('a numbered stack: frames outermost first, closures by the method that they stand in', async t => {
  const [found] = read('dart-flutter-tap')
  t.equal(found?.head, 'root null: Mock error')
  t.equal(found?.frames.at(-1), 'Welcome.build package:sos/welcome.dart:288:13')
  t.ok(found?.frames.includes('_LinkedHashMapMixin.forEach dart:collection-patch/compact_hash.dart:617:13'))
  t.same(languagesOf(readTrace('dart-flutter-tap')), ['dart'])
})

test('asynchronous gaps and elided frames end nothing; old versions print no column', async t => {
  t.same(
    [read('dart-async')[0]?.frames.length, read('dart-async')[0]?.frames[0]],
    [9, 'main http://localhost:57487/pubviz.dart:40'],
  )
  t.equal(read('dart-flutter-mounting')[0]?.frames.length, 7)
})

test('a report of Flutter: type and message from its sentences', async t => {
  t.same(read('dart-flutter-test'), [
    {
      head: 'root TestFailure: Expected: <0>\n  Actual: <1>\nthis expect should deliberately fail',
      frames: [
        'main file:///Users/tom/QAPMain/TomLib/flutter_convenient_test/packages/convenient_test/example/' +
          'integration_test/main_test.dart:23:9',
      ],
    },
  ])
})

test('terse stacks of the test runner', async t => {
  t.same(read('dart-terse')[0]?.frames.slice(-2), [
    'null packages/test/src/backend/invoker.dart:204:15',
    'Declarer.test packages/test/src/backend/declarer.dart:122:57',
  ])
  t.same(
    readExceptions('  package:shop/cart.dart 12:5   Cart.total\n  test/cart_test.dart 3:10       main.<fn>\n')[0]
      ?.frames,
    ['main test/cart_test.dart:3:10', 'Cart.total package:shop/cart.dart:12:5'],
  )
})

test('unhandled exceptions, with and without their type', async t => {
  const frame = '#0      main (file:///srv/main.dart:3:5)\n'
  t.equal(
    readExceptions(`Unhandled exception:\nFormatException: Unexpected character (at character 1)\nx\n^\n${frame}`)[0]
      ?.head,
    'root FormatException: Unexpected character (at character 1)\nx\n^',
  )
  t.equal(
    readExceptions(
      `[ERROR:flutter/runtime/dart_vm_initializer.cc(41)] Unhandled Exception: StateError: no stock\n${frame}`,
    )[0]?.head,
    'root StateError: no stock',
  )
})

test('numbered lines and columns of other tools are no frames', async t => {
  for (const line of [
    '#0 /srv/a.php(12): f()',
    '#0  main () at a.c:3',
    '#1      main (file.js:3:5)',
    'a.dart 12:5 x',
    'file  name',
    '#0      main (dir)',
  ]) {
    t.equal(dartFrame(line), null, line)
  }
})

const name = fc.stringMatching(/^[a-z][a-zA-Z0-9]{0,10}$/)
const frame = fc.record({
  path: fc.array(name, { minLength: 1, maxLength: 3 }),
  name,
  line: fc.integer({ min: 1, max: 99_999 }),
  column: fc.integer({ min: 1, max: 200 }),
  isAsync: fc.boolean(),
})

test('a rendered stack is read back as it was', async t => {
  fc.assert(
    fc.property(fc.uniqueArray(frame, { minLength: 1, maxLength: 10, selector: one => one.line }), frames => {
      const rows = frames.map(one => ({ ...one, file: `package:${one.path.join('/')}.dart` }))
      const text = `Unhandled exception:\nStateError: no stock\n${rows
        .map(
          (one, index) =>
            `#${String(index).padEnd(6)} ${one.name} (${one.file}:${one.line}:${one.column})\n` +
            `${one.isAsync ? '<asynchronous suspension>\n' : ''}`,
        )
        .join('')}`
      t.same(readExceptions(text), [
        {
          head: 'root StateError: no stock',
          frames: rows.map(one => `${one.name} ${one.file}:${one.line}:${one.column}`).toReversed(),
        },
      ])
    }),
    { numRuns: runs(40) },
  )
})

test('a console that puts the place below the function', async t => {
  t.same(readExceptions(readTrace('dart-logcat-linked')), [
    {
      head: "root null: type 'Null' is not a subtype of type 'String'",
      frames: [
        '_ResponsiveLayoutState.addData package:insta_clone/responsive/responsive_layout.dart:28',
        'UserProvider.refreshUser package:insta_clone/providers/user_provider.dart:13',
        'AuthMethods.getUserDetails package:insta_clone/resources/auth_methods.dart:19',
        'User.fromSnap package:insta_clone/models/user.dart:26',
      ],
    },
  ])
})

test('a failed assertion of Flutter has that for its type', async t => {
  t.same(
    shown(
      [
        '══╡ EXCEPTION CAUGHT BY WIDGETS LIBRARY ╞════',
        'The following assertion was thrown building Till(dirty):',
        'no till',
        '',
        'When the exception was thrown, this was the stack:',
        '#0      Till.open (package:shop/till.dart:12:5)',
        '#1      main (package:shop/main.dart:3:1)',
      ].join('\n'),
    ),
    [
      {
        head: 'root assertion: no till',
        frames: ['package:shop/main.dart:3:1 main', 'package:shop/till.dart:12:5 Till.open'],
      },
    ],
  )
})
