import { text } from 'node:stream/consumers'
import { test, type Test } from 'tap'
import type { Launched } from '../../../src/sandbox/jail/launched.ts'
import { createUnsafeHost } from '../../../src/sandbox/jail/unsafe-host.ts'
import { eventually, processesWith, processGroup } from '../../helpers/processes.ts'
import { testFolder } from '../../helpers/test-folder.ts'

const LIMITS = { timeoutMs: 60_000, memoryMb: 1024, diskMb: 64, processes: 8 }

/** Runs a script on this machine, in a folder of the test or in none. */
async function launch(t: Test, script: string, hasWorkspace = true): Promise<{ program: Launched; told: number }> {
  let told = 0
  const host = createUnsafeHost({ onUnsafeRun: () => told++, workspacesDir: '/nonexistent' })
  const { program } = await host.launch({
    argv: ['/bin/bash', '-c', script],
    env: { OWN: 'mine' },
    workspace: hasWorkspace ? testFolder(t) : null,
    limits: LIMITS,
    network: 'none',
    tools: [],
    layer: null,
    home: null,
  })
  t.teardown(() => program.kill())
  return { program, told }
}

test('it says that it protects from nothing', async t => {
  const host = createUnsafeHost({ workspacesDir: '/nonexistent' })
  t.match(
    { isolates: host.isolates, limitsMemory: host.limitsMemory(), missing: host.missing() },
    { isolates: false, limitsMemory: false, missing: null },
  )
  t.equal(await host.mountsLayers(), false, 'layers are copied, and count with the workspace')
})

test('the operator is told of each program in a workspace, not of trials', async t => {
  t.equal((await launch(t, 'true')).told, 1)
  t.equal((await launch(t, 'true', false)).told, 0)
})

test('a program runs in its folder with its own variables, and its output ends with it', async t => {
  const { program } = await launch(t, 'echo "$OWN $(basename "$PWD") $(basename "$HOME")"; echo wrong >&2; exit 3')
  const [out, wrong] = await Promise.all([text(program.stdout), text(program.stderr)])
  t.match(out, /^mine (\S+) \1\n$/)
  t.equal(wrong, 'wrong\n')
  t.equal(await program.begun, true)
  t.same(await program.ended, { exitCode: 3, signal: null, failure: null })
  t.equal(program.treeRoot(), null)
  t.equal(program.ranOutOfMemory(), false)
  t.equal(program.hasOwnNetwork, false)
  program.kill()
})

test('what a program left in its group ends with it, and all of it when it is killed', async t => {
  const marker = `98765.${process.pid}3`
  const left = await launch(t, `sleep ${marker} >/dev/null 2>&1 & exit 0`)
  t.match(await left.program.ended, { exitCode: 0 })
  t.ok(await eventually(() => processesWith(marker).length === 0))
  const killed = await launch(t, `setsid sleep ${marker} & sleep ${marker}`)
  t.ok(await eventually(() => processesWith(`sleep ${marker}`).filter(line => !line.includes('bash')).length === 2))
  t.ok((killed.program.treeRoot() ?? 0) > 1)
  killed.program.kill()
  t.match(await killed.program.ended, { signal: 'SIGKILL' })
  t.ok(await eventually(() => processesWith(marker).length === 0))
})

test('what a terminal sends to the server does not reach its programs', async t => {
  const marker = `98765.${process.pid}4`
  await launch(t, `sleep ${marker}`)
  t.ok(await eventually(() => processesWith(marker).length > 0))
  for (const line of processesWith(marker)) t.not(processGroup(Number.parseInt(line, 10)), processGroup(process.pid))
})
