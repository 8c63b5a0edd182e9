import { test } from 'tap'
import { Type } from 'typebox'
import { Nullable } from '../../src/contract/primitives.ts'
import { fromWire, toWire } from '../../src/contract/wire.ts'

const File = Type.Object({ start_line: Type.Integer(), sha256: Type.String() })
const Answer = Type.Object({
  project_name: Type.String(),
  files: Type.Array(File),
  last_file: Type.Optional(Nullable(File)),
  files_skipped: Type.Record(Type.String(), Type.Integer()),
})

test('fields take the names of the contract, at any depth', async t => {
  const answer = { projectName: 'shop', files: [{ startLine: 1, sha256: 'x' }], lastFile: null, filesSkipped: {} }
  t.same(toWire(Answer, answer), {
    project_name: 'shop',
    files: [{ start_line: 1, sha256: 'x' }],
    last_file: null,
    files_skipped: {},
  })
  t.same(fromWire(Answer, toWire(Answer, answer)), answer, 'and back')
})

test('keys of records are data', async t => {
  const wire = toWire(Answer, { projectName: '', files: [], filesSkipped: { tooLarge: 1, too_large: 2 } })
  t.same(wire.files_skipped, { tooLarge: 1, too_large: 2 })
})

test('what the schema does not name is dropped, what is missing stays so', async t => {
  const inside = { projectName: 'shop', secret: 'hidden', files: [{ startLine: 1, sha256: 'x', secret: 'hidden' }] }
  const wire = toWire(Answer, inside as unknown as Parameters<typeof toWire<typeof Answer>>[1])
  t.same(wire, { project_name: 'shop', files: [{ start_line: 1, sha256: 'x' }] })
  t.notOk('files_skipped' in wire)
})

test('an open schema keeps and renames further fields', async t => {
  const Open = Type.Object({ exit_code: Type.Integer() }, { additionalProperties: true })
  const value = { exitCode: 0, newerField: [{ innerName: 1, list: [null, 'aB'] }] }
  t.same(toWire(Open, value), { exit_code: 0, newer_field: [{ inner_name: 1, list: [null, 'aB'] }] })
})

test('a value that has its contract name already keeps it', async t => {
  const stored = { project_name: 'shop', files: [], files_skipped: {} } as never
  t.same(toWire(Answer, stored), { project_name: 'shop', files: [], files_skipped: {} })
})

test('the kind tells the members of a union apart', async t => {
  const Kinds = Type.Union([
    Type.Object({ kind: Type.Literal('a'), first_name: Type.String() }),
    Type.Object({ kind: Type.Literal('b'), last_name: Type.String() }),
  ])
  t.same(toWire(Kinds, { kind: 'b', lastName: 'x' }), { kind: 'b', last_name: 'x' })
  t.same(toWire(Type.Array(Kinds), [{ kind: 'a', firstName: 'y' }]), [{ kind: 'a', first_name: 'y' }])
})
