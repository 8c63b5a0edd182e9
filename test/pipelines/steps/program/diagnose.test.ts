import { test } from 'tap'
import type { ProgramFiles } from '../../../../src/resolver/diagnose-run.ts'
import { currentFiles, NO_CHANGES, sentFiles } from '../../../../src/pipelines/steps/base/base-files.ts'
import { createDiagnose } from '../../../../src/pipelines/steps/program/diagnose.ts'

const RUN = { stdout: '', stderr: '', ending: 'exit code 1', entrypoint: 'run.sh' }

/** Diagnoses a run of these files; `given` are the programs that the thread got. */
async function diagnose(files: Record<string, string>, stderr: string, inContext: string[] = []) {
  const given: ProgramFiles[] = []
  const run = createDiagnose({
    diagnoseRun: async (_run, program) => {
      given.push(program)
      return { signature: 's', context: 'c', paths: inContext, summary: null, faults: [] }
    },
  })
  const kept = {
    put: async () => {},
    list: async () => [],
    read: async () => Buffer.from(''),
    readVersion: async () => Buffer.from(''),
  }
  const { shown } = await run(
    { ...RUN, stderr },
    currentFiles({ files: kept }, sentFiles(new Map(Object.entries(files)), { fill: async () => {} }), NO_CHANGES),
  )
  return { shown, read: [...(given[0]?.files.keys() ?? [])].sort(), paths: given[0]?.paths }
}

const chars = (count: number): string => 'x'.repeat(count)

test('a program of a common size is shown whole', async t => {
  t.same((await diagnose({ 'run.sh': 'x', 'b.py': 'x', 'a/c.py': 'x' }, '')).shown, ['a/c.py', 'b.py', 'run.sh'])
})

test(
  'of a larger one the files of the error come first, then the script and what lists dependencies, then ' +
    'whatever fits',
  async t => {
    const files = {
      'a-data.json': chars(230_000),
      'b.py': chars(100_000),
      'c.py': chars(100_000),
      'd.py': chars(1000),
      'requirements.txt': chars(10),
      'run.sh': chars(10),
    }
    t.same(
      (await diagnose(files, '', ['c.py', 'b.py'])).shown,
      ['b.py', 'c.py', 'd.py', 'requirements.txt', 'run.sh'],
      'one that does not fit keeps no smaller one out',
    )
    t.same(
      (await diagnose({ 'huge.py': chars(300_000), 'run.sh': 'x' }, '', ['huge.py'])).shown,
      ['huge.py'],
      'the failing file is shown however large it is',
    )
  },
)

test('only files that the output may name are read for the diagnosis', async t => {
  const files = {
    'run.sh': 'x',
    'src/Cart.java': 'x',
    'src/Other.java': 'x',
    'pkg/util.py': 'x',
    'pkg/more.py': 'x',
    'web/index.test.ts': 'x',
  }
  const { read, paths } = await diagnose(
    files,
    'at shop.Cart.total(Cart.java:4)\n  File "/workspace/pkg/util.py", line 3\nweb/INDEX.test.ts:5\n',
  )
  t.same(read, ['pkg/util.py', 'src/Cart.java', 'web/index.test.ts'])
  t.equal(paths?.length, 6, 'the names of all are known')
})
