import { test } from 'tap'
import fc from 'fast-check'
import { branchName, nextBranchName } from '../../../src/pipelines/feature/branch-names.ts'
import { sameError, similarity } from '../../../src/pipelines/feature/checks/stuck.ts'
import { featureMessage } from '../../../src/pipelines/feature/manage-git.ts'
import { addingTool, entityName, isIdentifier, snakeCase, tableName } from '../../../src/pipelines/feature/names.ts'
import { readPlan } from '../../../src/pipelines/feature/plan/plan-answer.ts'
import {
  checkFeatureSettings,
  createFeatureRulesOf,
  featureRules,
  isDependencyFile,
  isWithin,
  scopeRefusal,
} from '../../../src/pipelines/feature/rules.ts'
import { NO_SETTINGS } from '../../../src/core/project.ts'
import { isBranchPrefix } from '../../../src/core/feature-settings.ts'
import { isRefName } from '../../../src/repos/clone/refs.ts'
import { PLAN } from '../../helpers/feature-project.ts'

const free = async (): Promise<null> => null

test('what nobody says is as the seed has it, and settings win over the file', async t => {
  const rules = featureRules([])
  t.same(rules.allowedPaths, ['src/dynamic/', 'tests/dynamic/'])
  t.same(rules.paths, {
    schema: 'src/dynamic/schema/{table}',
    tool: 'src/dynamic/tools/{tool}',
    test: 'tests/dynamic/{tool}.test',
  })
  t.match(rules, { templates: null, branchPrefix: 'feat/', commitStyle: 'conventional', deployUrl: null })
  const told = featureRules([
    { allowedPaths: ['app/new'], migrations: { apply: 'make apply' } },
    { allowedPaths: ['lib/'], templates: 'tpl/', migrations: { apply: 'other', folder: 'db/' }, branchPrefix: 'f/' },
  ])
  t.same(told.allowedPaths, ['app/new'])
  t.equal(told.paths.schema, 'app/new/schema/{table}')
  t.match(told, {
    templates: 'tpl',
    branchPrefix: 'f/',
    migrations: { apply: 'make apply', folder: 'db', generate: null },
  })
})

test('a path is allowed by whole segments, and no dependency or configuration ever', async t => {
  t.ok(isWithin(['src/dynamic/', 'src/index.ts'], 'src/dynamic/a/b.ts'))
  t.ok(isWithin(['src/dynamic/', 'src/index.ts'], 'src/index.ts'))
  for (const path of ['src/dynamic', 'src/dynamicx/a.ts', 'src/index.tsx', 'SRC/dynamic/a.ts']) {
    t.notOk(isWithin(['src/dynamic/', 'src/index.ts'], path), path)
  }
  const refusal = scopeRefusal({ allowedPaths: ['a/'] }, free)
  for (const [path, why] of [
    ['b/x.ts', /outside of what a feature may change here: a\//],
    ['a/package.json', /installs none/],
    ['a/package-lock.json', /installs none/],
    ['a/.faultline.toml', /protected/],
    ['a/.github/workflows/x.yml', /protected/],
  ] as const) {
    t.match(await refusal(path), why)
  }
  t.equal(await refusal('a/x.ts'), null)
  for (const path of ['a/node_modules/left-pad/index.js', 'a/Web.csproj', 'a/pnpm-workspace.yaml']) {
    t.match(await refusal(path), /installs none/, path)
  }
  t.match(await refusal('a/.gitattributes'), /what reviewers and git see/)
  const files = scopeRefusal(featureRules([{ allowedPaths: ['Makefile', 'lib'] }]), free)
  t.same([await files('Makefile'), await files('lib/x.ts')], [null, null], 'a name without a dot may be that of a file')
  for (const path of ['go.mod', 'x/requirements-dev.txt', 'Cargo.toml', 'pyproject.toml']) {
    t.ok(isDependencyFile(path), path)
  }
  t.notOk(isDependencyFile('src/requirements.ts'))
  for (const path of ['../x/', '/etc/', 'a/*', '.git/']) {
    t.throws(() => checkFeatureSettings({ allowedPaths: [path] }), { code: 'VALIDATION_FAILED' }, path)
  }
})

test('a wrong setting is told by its field, with the beginning of what it says', async t => {
  const wrong = `../${'x'.repeat(300)}`
  const shown = JSON.stringify(wrong.slice(0, 200))
  for (const [settings, field, must] of [
    [{ allowedPaths: ['a/', wrong] }, 'allowed_paths', 'is no folder or file inside of a repository'],
    [{ features: { templates: wrong } }, 'features.templates', 'is no folder inside of a repository'],
    [{ migrations: { folder: wrong } }, 'migrations.folder', 'is no folder inside of a repository'],
    [
      { features: { branchPrefix: wrong } },
      'features.branch_prefix',
      'is nothing that the name of a branch can begin with',
    ],
    [
      { features: { paths: { tool: wrong } } },
      'features.paths.tool',
      'is no path inside of a repository with {table}, {entity} or {tool}',
    ],
  ] as const) {
    const check = () => checkFeatureSettings(settings as Parameters<typeof checkFeatureSettings>[0])
    t.throws(check, { code: 'VALIDATION_FAILED', message: `${field}: ${shown} ${must}.` }, field)
  }
  t.doesNotThrow(() => checkFeatureSettings({}))
  t.doesNotThrow(() => checkFeatureSettings({ allowedPaths: ['a/'], features: { paths: { tool: 'a/{tool}' } } }))
})

test('the file that says what may be changed is never changed, whatever it says itself', async t => {
  const allowedPaths = ['.faultline.toml', 'a/', '.FAULTLINE.toml', 'migrations/']
  const refusal = scopeRefusal({ allowedPaths }, free)
  for (const path of ['.faultline.toml', '.FAULTLINE.toml', 'a/.faultline.toml']) {
    t.match(await refusal(path), /protected/, path)
  }
})

test('what the settings leave out is as the file at that commit says, and what is wrong with it is told', async t => {
  const files = new Map<string, string | null>([
    ['1', '[features]\nbranch_prefix = "one/"\n[features.paths]\ntool = "x/{tool}"\n[migrations]\napply = "a1"\n'],
    ['2', '[features]\nbranch_prefix = "two/"\n'],
    ['3', '[features]\nbranch_prefix = 3\n'],
    ['4', null],
  ])
  const features = { commitStyle: 'plain', paths: { schema: 'y/{table}' } } as const
  const settings = { ...NO_SETTINGS, allowedPaths: ['z/'], features, migrations: { generate: 'g' } }
  const rulesOf = createFeatureRulesOf({
    settings: async () => settings,
    projectFileAt: async ({ commit }) => files.get(commit) ?? null,
  })
  const at = (commit: string) => rulesOf({ projectName: 'shop', repository: 'shop', commit })
  t.match(await at('1'), {
    notices: [],
    rules: {
      allowedPaths: ['z/'],
      branchPrefix: 'one/',
      commitStyle: 'plain',
      paths: { schema: 'y/{table}', tool: 'x/{tool}', test: 'z/{tool}.test' },
      migrations: { generate: 'g', apply: 'a1', rollback: null },
    },
  })
  t.match(await at('2'), { rules: { branchPrefix: 'two/', migrations: { apply: null } } })
  t.match(await at('3'), { rules: { branchPrefix: 'feat/' }, notices: [/features\.branch_prefix must be/] })
  t.match(await at('4'), { rules: { branchPrefix: 'feat/' }, notices: [/is larger than 1 MiB/] })
})

test('names are inflected, not cut', async t => {
  for (const [given, entity, table, tool] of [
    ['Character', 'Character', 'characters', 'add_character'],
    ['people', 'Person', 'people', 'add_person'],
    ['Category', 'Category', 'categories', 'add_category'],
    ['order_items', 'OrderItem', 'order_items', 'add_order_item'],
    ['StatusUpdate', 'StatusUpdate', 'status_updates', 'add_status_update'],
    ['APIKey', 'ApiKey', 'api_keys', 'add_api_key'],
    ['S', 'S', 's', 'add_s'],
  ] as const) {
    t.equal(entityName(given), entity)
    t.equal(tableName(entity), table)
    t.equal(addingTool(entity), tool)
  }
  t.equal(snakeCase('add-Character two'), 'add_character_two')
})

test('a branch has the prefix, and a name that is taken gets a version', async t => {
  t.equal(nextBranchName('feat/x'), 'feat/x-v2')
  t.equal(nextBranchName('feat/add-characters-v1'), 'feat/add-characters-v2')
  t.equal(nextBranchName('feat/x-v9'), 'feat/x-v10')
  const names = { prefix: 'feat/', words: ['add_character'] }
  t.equal(branchName('feat/add-characters-v1', names), 'feat/add-characters-v1')
  t.equal(branchName('characters', names), 'feat/characters')
  t.equal(branchName('../..', names), 'feat/add-character')
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string(), (wanted, words) => {
      const name = branchName(wanted, { prefix: 'feat/', words: [words] })
      return isRefName(name) && name.startsWith('feat/')
    }),
  )
})

test('any prefix that a project may have gives names that git takes, and free ones for all who want one', async () => {
  const prefix = fc
    .oneof(fc.stringMatching(/^[A-Za-z0-9][\w./-]{0,99}$/), fc.constantFrom('f', 'a/b/', 'x.', 'team-1/feat_'))
    .filter(isBranchPrefix)
  const taken = fc.array(fc.constantFrom('', '-v2', '-v3', '-v4', '-v10'))
  fc.assert(
    fc.property(prefix, fc.string({ unit: 'binary', maxLength: 300 }), taken, (prefix, wanted, endings) => {
      const first = branchName(wanted, { prefix, words: [] })
      const used = new Set(endings.map(ending => `${first}${ending}`))
      let name = first
      for (let times = 0; used.has(name); times++) {
        if (times > used.size) return false
        name = nextBranchName(name)
      }
      return isRefName(first) && isRefName(name) && first.startsWith(prefix) && !used.has(name)
    }),
  )
})

test('a commit says what it adds in the style of the project, and whose job made it', async t => {
  t.equal(
    featureMessage('Store characters with a name.', 'conventional', 'j1'),
    'feat: store characters with a name\n\nFaultline-Job: j1\n',
  )
  t.match(featureMessage('fix: the name', 'conventional', 'j1'), /^fix: the name\n/)
  t.match(featureMessage('Store characters', 'plain', 'j1'), /^Store characters\n/)
})

test('the same error is known by its signature, else by how alike it is', async t => {
  const error = (text: string, signature: string | null = null) => ({ text, signature })
  t.ok(sameError(error('a', 'x'), error('b', 'x')))
  t.notOk(sameError(error('a', 'x'), error('a', 'y')))
  const line = (ms: number, name: string): string =>
    `not ok - ${name}\n  duration_ms: ${ms}.123\n  Error: ${name} is missing`
  t.ok(sameError(error(line(1, 'role')), error(line(977, 'role'))), 'how long it took does not matter')
  t.notOk(sameError(error(line(1, 'role')), error(line(1, 'something else entirely'))))
  t.equal(similarity('', ''), 1)
})

test('a plan is read in the seed’s names, and what is wrong with it is told', async t => {
  const limits = { branchPrefix: 'feat/', request: 'x', refusal: free }
  const read = await readPlan(PLAN, limits)
  t.match(read, {
    plan: {
      entities: [
        {
          name: 'Character',
          tableName: 'characters',
          fields: [{ type: 'varchar', length: 200, nullable: false }, { nullable: true }, { nullable: true }],
        },
      ],
      tools: [{ name: 'add_character', entity: 'Character' }],
      branchName: 'feat/add-characters-v1',
    },
  })
  for (const [change, problem] of [
    [{ understood: '' }, /"understood" says nothing/],
    [{ entities: [{ name: 'a/../b', fields: [{ name: 'x', type: 'text' }] }] }, /is no name that can stand in code/],
    [{ entities: [{ name: 'A', fields: [] }] }, /has no fields/],
    [{ entities: [{ name: 'A', fields: [{ name: 'x', type: 'wish' }] }] }, /has the type "wish"; known are varchar/],
    [{ entities: [...PLAN.entities, ...PLAN.entities] }, /comes twice/],
    [{ tools: 'none' }, /"tools" must be a list/],
    [{ files: [{ path: '../../etc/passwd', purpose: '' }] }, /is no path inside of the project/],
  ] as const) {
    const wrong = await readPlan({ ...PLAN, ...change }, limits)
    t.match('problems' in wrong ? wrong.problems.join(' ') : '', problem)
  }
  const outside = await readPlan(
    { ...PLAN, files: [{ path: 'x.ts', purpose: '' }] },
    { ...limits, refusal: async () => 'no' },
  )
  t.match(outside, { problems: [], outOfScope: ['no'] })
})

test('any JSON is a plan of usable names and paths, or refused in words', async () => {
  const limits = { branchPrefix: 'feat/', request: 'x', refusal: free }
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.jsonValue(),
        fc.jsonValue().map(value => ({ ...PLAN, entities: value })),
      ),
      async value => {
        const read = await readPlan(value, limits)
        if (!('plan' in read)) return read.problems.length + read.outOfScope.length > 0
        const { entities, tools, branchName: branch } = read.plan
        const names = [...entities.flatMap(one => [one.name, one.tableName, ...one.fields.map(({ name }) => name)])]
        return [...names, ...tools.map(({ name }) => name)].every(isIdentifier) && isRefName(branch)
      },
    ),
  )
})

test('long answers take no longer than their length', async t => {
  const limits = { branchPrefix: 'feat/', request: 'x'.repeat(1_000_000), refusal: free }
  for (const text of ['A', 'aA', 'a_', ' ', '-v2', '/..', 'varchar(', '\u0300', 'ies', '(a']) {
    const long = text.repeat(100_000)
    const entities = [{ name: long, tableName: long, fields: [{ name: long, type: long }] }]
    const started = performance.now()
    await readPlan({ ...PLAN, entities, branchName: long, files: [{ path: long, purpose: long }] }, limits)
    branchName(long, { prefix: 'feat/', words: [long] })
    similarity(long, `${long}x`)
    t.ok(performance.now() - started < 2_000, `${JSON.stringify(text)}: ${performance.now() - started} ms`)
  }
})
