import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test } from 'tap'
import { startServerProcess } from './helpers/server-process.ts'

const COUNTER = fileURLToPath(new URL('../bench/count-modules.ts', import.meta.url))

test('a server that works alone starts without what nodes share, and without what jobs of models take', async t => {
  const root = t.testdir()
  const list = join(root, 'modules')
  writeFileSync(list, '')
  const builtins = join(root, 'builtins')
  const tellBuiltins = `import { writeFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'
const tell = () => writeFileSync(${JSON.stringify(builtins)}, process.moduleLoadList.join('\\n'))
if (isMainThread) process.on('exit', tell)`
  const flags = [`--import=${COUNTER}`, `--import=data:text/javascript,${encodeURIComponent(tellBuiltins)}`]
  const server = await startServerProcess(root, { MODULES_FILE: list }, undefined, { flags })
  t.equal((await fetch(`${server.url}/health`)).status, 200)
  await server.end('SIGTERM')
  const loaded = readFileSync(list, 'utf8')
  const own = readFileSync(builtins, 'utf8')
  t.match(own, /^NativeModule http$/m)
  t.notMatch(own, /undici/, 'Node would load its own with `import … from "node:http"`')
  t.match(loaded, /src\/services\/services\.ts\n/, 'the hook sees what is loaded')
  t.notMatch(loaded, /src\/(?:postgres|cluster|replication|object-store)\//)
  t.notMatch(loaded, /node_modules\/(?:pg|pg-boss|kysely|aws4fetch|undici)\//)
  t.notMatch(loaded, /src\/pipelines\/(?:bisect|feature|fix|generate|heal|improve|task)\/(?:run|dialogue)\.ts\n/)
  t.notMatch(loaded, /src\/edits\/(?:read|parts|join)\//)
  t.notMatch(loaded, /node_modules\/typebox\/build\/(?:compile|value)\//, 'nothing of what was asked needs a check')
  t.notMatch(
    loaded,
    /src\/mcp\/(?:handler|tools)|node_modules\/(?:@modelcontextprotocol|zod|markdown-it|highlight\.js)\//,
  )
})
