/* eslint-disable no-template-curly-in-string -- programs of the project */
import type { Reply } from '../fakes/model-server.ts'
import type { TestFiles } from './git-repository.ts'

export const REQUEST = 'I want to store characters: name, role, age'

/** A project of Node that is told by its file what features may do; it generates SQL of its schema by itself. */
export const FEATURE_FILES: TestFiles = {
  'package.json': JSON.stringify({
    name: 'stories',
    version: '1.0.0',
    type: 'module',
    scripts: { typecheck: 'node scripts/typecheck.js', test: "node --test 'tests/**/*.test.ts'" },
  }),
  '.faultline.toml':
    '[features]\nallowed_paths = ["src/dynamic/", "tests/dynamic/"]\ntemplates = "templates"\n\n' +
    '[migrations]\ngenerate = "node scripts/generate.js"\napply = "node scripts/apply.js"\n' +
    'rollback = "node scripts/rollback.js"\nfolder = "migrations"\n',
  'templates/schema.ts.tpl':
    "export const {{tableVariable}} = '{{tableName}}'\n// TODO fields: {{#fields}}{{property}} {{/fields}}\n",
  'templates/tool.ts.tpl':
    "import { {{tableVariable}} } from '{{{schemaImport}}}'\n\nexport function {{toolFunction}}() {\n  throw new Error({{tableVariable}})\n}\n",
  'templates/test.ts.tpl': "import { {{toolFunction}} } from '{{{toolImport}}}'\n{{toolFunction}}()\n",
  'scripts/typecheck.js':
    "import { globSync, readFileSync } from 'node:fs'\n" +
    "const bad = globSync('src/dynamic/**/*.ts').filter(path => readFileSync(path, 'utf8').includes('TODO'))\n" +
    'for (const path of bad) console.log(`${path}: a TODO`)\nprocess.exit(bad.length === 0 ? 0 : 1)\n',
  'scripts/generate.js':
    "import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'\n" +
    "const tables = globSync('src/dynamic/schema/*.ts').map(path => readFileSync(path, 'utf8'))\n" +
    "  .flatMap(text => [...text.matchAll(/create: '([^']+)'/g)].map(one => one[1]))\n" +
    "if (tables.length === 0) { console.log('No schema changes'); process.exit(0) }\n" +
    "mkdirSync('migrations', { recursive: true })\n" +
    "const journal = existsSync('migrations/journal.json') ? JSON.parse(readFileSync('migrations/journal.json', 'utf8')) : []\n" +
    'const name = `000${journal.length + 1}.sql`\n' +
    "writeFileSync(`migrations/${name}`, tables.join(';\\n'))\n" +
    "writeFileSync('migrations/journal.json', JSON.stringify([...journal, name]))\nconsole.log(name)\n",
  'scripts/apply.js':
    "import { globSync, readFileSync } from 'node:fs'\nimport { DatabaseSync } from 'node:sqlite'\n" +
    "const db = new DatabaseSync(process.env.DATABASE_URL.replace('file:', ''))\n" +
    "for (const path of globSync('migrations/*.sql').sort()) db.exec(readFileSync(path, 'utf8'))\n" +
    "console.log(db.prepare('SELECT count(*) AS n FROM sqlite_master').get().n, 'tables')\n",
  'scripts/rollback.js': "console.log('down')\n",
  'migrations/journal.json': '[]',
  'src/main.ts': 'export const stories = []\n',
  'README.md': '# Stories\n',
}

export const PLAN = {
  understood: 'Store characters with a name, a role and an age.',
  entities: [
    {
      name: 'Character',
      tableName: 'characters',
      fields: [
        { name: 'name', type: 'varchar', length: 200, nullable: false },
        { name: 'role', type: 'varchar', length: 100, nullable: true },
        { name: 'age', type: 'integer', nullable: true },
      ],
    },
  ],
  tools: [
    {
      name: 'add_character',
      description: 'Adds a character to the database',
      inputSchema: '{ name: string, role?: string, age?: number }',
    },
  ],
  branchName: 'feat/add-characters-v1',
  steps: ['Create branch', 'Scaffold', 'Implement', 'Generate migration', 'Run tests'],
}

export const planned = (plan: object = PLAN): Reply => ({ text: JSON.stringify(plan) })

const SCHEMA_PATH = 'src/dynamic/schema/characters.ts'
export const TOOL_PATH = 'src/dynamic/tools/add_character.ts'
export const TEST_PATH = 'tests/dynamic/add_character.test.ts'

/** A reply that gives files whole. */
export const wrote = (files: Record<string, string>): Reply => ({
  text: Object.entries(files)
    .map(([path, text]) => `${path}\n\`\`\`ts\n${text}\`\`\`\n`)
    .join('\n'),
})

export const SCHEMA =
  "export const characters = {\n  name: 'characters',\n" +
  "  create: 'CREATE TABLE characters (id INTEGER PRIMARY KEY, name TEXT NOT NULL, role TEXT, age INTEGER)',\n}\n"
export const TOOL =
  "import { characters } from '../schema/characters.ts'\n\nexport function addCharacter(input: { name: string }) {\n" +
  "  if (input.name === '') throw new Error('name is empty')\n  return `INSERT INTO ${characters.name}`\n}\n"
export const TESTS =
  "import assert from 'node:assert/strict'\nimport { test } from 'node:test'\n" +
  "import { addCharacter } from '../../src/dynamic/tools/add_character.ts'\n\n" +
  "test('a character is added', () => assert.equal(addCharacter({ name: 'Ann' }), 'INSERT INTO characters'))\n" +
  "test('a name is needed', () => assert.throws(() => addCharacter({ name: '' }), /empty/))\n"

/** The replies of a coder that does all of it right. */
export const written = (): Reply[] => [
  wrote({ [SCHEMA_PATH]: SCHEMA }),
  wrote({ [TOOL_PATH]: TOOL }),
  wrote({ [TEST_PATH]: TESTS }),
]
