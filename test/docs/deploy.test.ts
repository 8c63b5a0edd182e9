import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test } from 'tap'
import { parse } from 'yaml'
import { readCopy, readEnv, readInstructions, readStages } from '../../scripts/deploy/dockerfile.ts'
import { ENVIRONMENT, loadConfig } from '../../src/config.ts'
import { NEEDED_NODE } from '../../src/core/node-version.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const stages = readStages(read('Dockerfile'))
const instructions = stages.flatMap(stage => stage.instructions)
const textsOf = (name: string): string[] => instructions.filter(one => one.name === name).map(({ text }) => text)
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
/** Variables of others than Faultline that the server and its parts read. */
const OTHERS = new Set(['NODE_ENV', 'HOME', 'NODE_OPTIONS', 'npm_config_nodedir'])
const isSetting = (name: string): boolean =>
  name in ENVIRONMENT.properties || OTHERS.has(name) || name.startsWith('MALLOC_')

test('a Dockerfile is read with its continued lines, its comments left out', async t => {
  t.same(readInstructions('# a\nFROM x AS y\n\nRUN a \\\n  # in between\n  && b\nENV A=1 B="2 3"\n'), [
    { name: 'FROM', text: 'x AS y', line: 2 },
    { name: 'RUN', text: 'a && b', line: 4 },
    { name: 'ENV', text: 'A=1 B="2 3"', line: 7 },
  ])
  t.match(readStages(`ARG BASE=a:1\nFROM \${BASE} AS one\nRUN x\nFROM \${BASE}\n`, { BASE: 'b:2' }), [
    { name: 'one', base: 'b:2', instructions: [{ name: 'RUN' }] },
    { name: null, base: 'b:2', instructions: [] },
  ])
  t.same(readCopy('--from=build --chown=1:1 /a /b ./c/'), { from: 'build', sources: ['/a', '/b'], target: './c/' })
  t.same(readEnv('A=1 B="2 3"'), { A: '1', B: '2 3' })
})

test('what the Dockerfile copies is there, is not left out by .dockerignore, and is all that is let in', async t => {
  const allowed = read('.dockerignore')
    .split('\n')
    .flatMap(line => (line.startsWith('!') ? [line.slice(1)] : []))
  const wanted = textsOf('COPY')
    .map(readCopy)
    .filter(({ from }) => from === null)
  for (const source of wanted.flatMap(({ sources }) => sources)) {
    t.ok(existsSync(join(ROOT, source)), source)
    t.ok(allowed.includes(source), `${source} is let in`)
  }
  t.same(new Set(wanted.flatMap(({ sources }) => sources)), new Set(allowed))
  const names = stages.map(({ name }) => name)
  for (const { from } of textsOf('COPY').map(readCopy)) if (from !== null) t.ok(names.includes(from), from)
})

test('the image has the Node that package.json asks for, and what the package holds', async t => {
  for (const { base } of stages) t.equal(/^node:(\d+)-/.exec(base)?.[1], NEEDED_NODE.split('.')[0])
  const { files } = JSON.parse(read('package.json')) as { files: string[] }
  const copied = new Set(
    (stages.at(-1)?.instructions ?? []).flatMap(({ name, text }) => (name === 'COPY' ? readCopy(text).target : [])),
  )
  for (const needed of ['bin', 'dist', 'prompts']) {
    t.ok(files.includes(needed), needed)
    t.ok(copied.has(`./${needed}`), needed)
  }
})

test('the steps of the image run scripts that package.json has', async t => {
  const ran = textsOf('RUN').flatMap(text => [...text.matchAll(/\bnpm run ([\w:-]+)/g)].map(([, name = '']) => name))
  t.same(ran, ['build'])
  for (const name of ran) t.ok(name in scripts, name)
  const start = scripts.start ?? ''
  const [command = ''] = textsOf('CMD').slice(-1)
  const [env = ''] = textsOf('ENV').slice(-1)
  const [flag = ''] = /--max-\S+/.exec(start) ?? []
  t.ok(command.includes(flag), 'Node is started as by npm start')
  for (const [, name = '', value = ''] of start.matchAll(/(MALLOC\w+)=(\d+)/g)) {
    t.equal(readEnv(env)[name], value, name)
    t.match(read('deploy/faultline.service'), `${name}=${value}`)
  }
  t.match(read('deploy/faultline.service'), flag)
})

test('the image is not run as root, is asked for its health, and needs keys', async t => {
  t.same(textsOf('USER'), ['10001:10001'])
  t.match(textsOf('HEALTHCHECK'), [/\/health/])
  t.match(read('compose.yaml'), /API_KEYS: \$\{API_KEYS:\?/)
})

test('image, compose and unit set what the server reads', async t => {
  const image = textsOf('ENV').flatMap(text => Object.keys(readEnv(text)))
  const compose = [...read('compose.yaml').matchAll(/^ {6}([A-Z][A-Z_]+): /gm)].map(([, name = '']) => name)
  const unit = [...read('deploy/faultline.service').matchAll(/^Environment=(.*)$/gm)].flatMap(([, text = '']) =>
    Object.keys(readEnv(text)),
  )
  for (const names of [image, compose, unit]) t.ok(names.length > 5)
  for (const name of [...image, ...compose, ...unit]) t.ok(isSetting(name), name)
})

test('each node of the cluster sets what it needs, and the proxy knows those that answer', async t => {
  const { services } = parse(read('compose.cluster.yaml'), { merge: true }) as {
    services: Record<string, { image: string; environment?: Record<string, string> }>
  }
  const nodes = Object.entries(services).filter(([, { image }]) => image === 'faultline')
  t.equal(nodes.length, 4)
  for (const [name, { environment = {} }] of nodes) {
    for (const setting of Object.keys(environment)) t.ok(isSetting(setting), setting)
    t.match(environment, { NODE_NAME: name, NODE_URL: `http://${name}:8000`, ROLE: /^(?:http|worker)$/ })
    for (const secret of ['API_KEYS', 'CLUSTER_SECRET']) t.match(environment[secret], /:\?/, secret)
    const env = Object.fromEntries(
      Object.entries(environment).map(([key, value]) => [key, value.replace(/\$\{\w+:\?[^}]*\}/g, 'k'.repeat(30))]),
    )
    const given = { ...env, API_KEYS: `ann:${'k'.repeat(30)}`, HOST: '0.0.0.0' }
    const withoutEmpty = Object.fromEntries(Object.entries(given).filter(([, value]) => !/^\$\{\w+:-\}$/.test(value)))
    t.match(loadConfig({ root: t.testdir(), env: { ...withoutEmpty, SANDBOX: 'none' } }), {
      node: { name, roles: [environment.ROLE] },
      database: { schema: 'faultline' },
      objectStore: { address: { kind: 's3' } },
    })
  }
  const answering = nodes.flatMap(([name, { environment }]) => (environment?.ROLE === 'http' ? [`${name}:8000`] : []))
  t.match(read('deploy/cluster/Caddyfile'), `reverse_proxy ${answering.join(' ')} {`)
})

const hasSystemd = existsSync('/usr/bin/systemd-analyze')

test('systemd finds nothing wrong with the unit', { skip: hasSystemd ? false : 'no systemd here' }, async t => {
  const unit = join(t.testdir(), 'faultline.service')
  // the program is not installed here
  writeFileSync(unit, read('deploy/faultline.service').replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`))
  t.doesNotThrow(() => execFileSync('systemd-analyze', ['verify', unit], { stdio: 'pipe' }))
})
