import fc from 'fast-check'
import { test } from 'tap'
import { parseStackTrace } from '../../../../src/stack-trace/parse.ts'
import { readTrace } from '../../../helpers/trace-fixtures.ts'
import { summary } from '../../../helpers/trace-summary.ts'
import { runs } from '../../../helpers/property-runs.ts'

const errors = (name: string) => summary(readTrace(name)).filter(({ head }) => head.startsWith('root '))
const sources = (name: string) => parseStackTrace(readTrace(name)).frames.map(({ sourceText }) => sourceText)

test(
  'gcc: each diagnostic is an exception with one frame, its function and the code below it; warnings stand ' + 'apart',
  async t => {
    t.same(errors('gcc-12.2'), [
      {
        head: 'root error: request for member ‘length’ in something not a structure or union',
        frames: ['till.c:1 null', 'till.h:4:57 key_of'],
      },
      { head: 'root error: ‘undeclared’ undeclared (first use in this function)', frames: ['till.c:5:10 open_till'] },
    ])
    t.same(
      summary(readTrace('gcc-12.2')).map(({ head }) => head.split(' ', 1)[0]),
      ['root', 'separate', 'root', 'context', 'separate', 'separate', 'separate'],
    )
    t.equal(sources('gcc-12.2')[2], 'int code = "17";')
  },
)

test('a place that was included, or reached through a template, has what leads to it as callers', async t => {
  t.same(errors('clang-14.0')[0]?.frames, ['till.c:1 null', './till.h:4:57 null'])
  t.same(errors('gcc-12.2-template')[0]?.frames, ['cart.cpp:13:15 null', 'cart.cpp:7:35 total'])
})

test('a linker names a line where it knows one, else the function', async t => {
  t.same(errors('ld-12.2-stripped'), [
    { head: "root error: undefined reference to `missing'", frames: ['main.c:null main'] },
  ])
  t.same(errors('ld-12.2-debug'), [
    { head: "root error: undefined reference to `missing'", frames: ['/srv/app/compilers/link/main.c:2 main'] },
  ])
})

test('the type is the code where there is one; the language is that of the file', async t => {
  for (const [name, language, head, frame] of [
    ['javac-17.0', 'java', 'root error: cannot find symbol', 'Till.java:5 null'],
    ['kotlinc-1.3', 'kotlin', 'root error: unresolved reference: total', 'Till.kt:3:18 null'],
    ['scalac-2.11', 'scala', 'root error: value total is not a member of List[Int]', 'Till.scala:2 null'],
    [
      'swiftc-5.6-scope',
      'swift',
      "root error: 'main' attribute cannot be used in a module that contains top-level code",
      'btrainapp.swift:15:1 null',
    ],
    [
      'msbuild-16-actions',
      'csharp',
      "root CS0103: The name 'Mid0064' does not exist in the current context",
      'Tightening/TighteningMessages.cs:17:19 null',
    ],
    [
      'msbuild-12-studio',
      'csharp',
      /^root CS0246: The type or namespace name 'QueueJob'/,
      'C:\\projects.temp\\Project-Samples\\365-Project-Online-OM-ProjToolV2\\ProjToolV2\\Utilities\\CsomHelper.cs:95:52 null',
    ],
    ['go-1.19-build', 'go', 'root error: imported and not used: "os"', './till.go:3:8 null'],
    ['go-1.19-vet', 'go', 'root error: fmt.Printf format %s has arg n of wrong type int', './till.go:6:2 null'],
    ['mcs-6.8', 'csharp', /^root CS1061: Type `int\[\]' does not contain/, 'Till.cs:6:22 null'],
    ['tsc-7.0', 'typescript', "root TS2322: Type 'number' is not assignable to type 'string'.", 'cart.ts:2:3 null'],
    [
      'tsc-7.0-pretty',
      'typescript',
      "root TS2322: Type 'number' is not assignable to type 'string'.",
      'cart.ts:2:3 null',
    ],
    [
      'mypy-1.0',
      'python',
      'root return-value: Incompatible return value type (got "int", expected "str")',
      'cart.py:5 null',
    ],
    ['flake8-5.0', 'python', "root F401: 'os' imported but unused", './cart.py:1:1 null'],
    ['pylint-2.16', 'python', "root E0602: Undefined variable 'undefined_name'", 'cart.py:9:11 null'],
    ['ruby-3.1-check', 'ruby', "root error: syntax error, unexpected end-of-input, expecting `end'", 'cart.rb:5 null'],
  ] as const) {
    const [first] = errors(name)
    t.match(first?.head, head, name)
    t.same(first?.frames, [frame], name)
    t.ok(
      parseStackTrace(readTrace(name)).exceptions.every(one => one.language === language),
      name,
    )
  }
})

test(
  'code below a diagnostic is known by its marks or its number, and more of the message may stand before ' + 'it',
  async t => {
    t.same(sources('javac-17.0'), ['return lines.sum();', 'int price = "17";'])
    t.same(sources('tsc-7.0-pretty').slice(0, 2), [
      'return lines.reduce((sum, line) => sum + line, 0)',
      'const price: number = total([1, 2])',
    ])
    t.equal(errors('scalac-2.11')[1]?.head, 'root error: type mismatch;\nfound   : String("17")\nrequired: Int')
    t.equal(sources('scalac-2.11')[1], 'val price: Int = "17"')
  },
)

const word = fc.stringMatching(/^[a-z][a-z0-9_]{0,12}$/)

test('a rendered diagnostic is read back as it was', async t => {
  fc.assert(
    fc.property(
      word,
      word,
      fc.integer({ min: 1, max: 99_999 }),
      fc.integer({ min: 1, max: 999 }),
      (folder, name, line, column) => {
        const { frames, exceptions } = parseStackTrace(`${folder}/${name}.c:${line}:${column}: error: no till\n`)
        t.same(
          [frames[0]?.file, frames[0]?.line, frames[0]?.column, exceptions[0]?.message],
          [`${folder}/${name}.c`, line, column, 'no till'],
        )
      },
    ),
    { numRuns: runs(50) },
  )
})
