import type { Reply } from '../fakes/model-server.ts'
import { TEST_PATH, TOOL_PATH, wrote } from './feature-project.ts'
import type { TestFiles } from './git-repository.ts'

/** What the project depends on: as it calls it, and as this project does. */
export const DRIZZLE_PACKAGES = {
  'drizzle-orm': 'drizzle-orm',
  'drizzle-kit': 'drizzle-kit',
  '@libsql/client': '@libsql/client',
  '@types/node': '@types/node',
  typescript: '@typescript/native',
}

/** A project as people have them: Drizzle over SQLite, the real compiler, the tests of Node, and no templates. */
export const drizzleFiles = ({ versions, lock }: { versions: object; lock: string }): TestFiles => ({
  'package.json': JSON.stringify({
    name: 'stories',
    version: '1.0.0',
    type: 'module',
    scripts: { typecheck: 'tsc --noEmit', test: "node --test 'tests/**/*.test.ts'" },
    devDependencies: versions,
  }),
  'package-lock.json': lock,
  'tsconfig.json': JSON.stringify({
    compilerOptions: {
      target: 'es2024',
      module: 'nodenext',
      types: ['node'],
      strict: true,
      noUncheckedIndexedAccess: true,
      noUnusedLocals: true,
      noUnusedParameters: true,
      verbatimModuleSyntax: true,
      erasableSyntaxOnly: true,
      allowImportingTsExtensions: true,
      noEmit: true,
      skipLibCheck: true,
    },
    include: ['src', 'tests', 'drizzle.config.ts'],
  }),
  'drizzle.config.ts':
    "import { defineConfig } from 'drizzle-kit'\n\nexport default defineConfig({\n  dialect: 'sqlite',\n" +
    "  schema: './src/dynamic/schema/*.ts',\n  out: './drizzle',\n" +
    "  dbCredentials: { url: process.env.DATABASE_URL ?? 'file:stories.db' },\n})\n",
  '.faultline.toml':
    '[features]\nallowed_paths = ["src/dynamic/", "tests/dynamic/"]\n\n' +
    '[migrations]\ngenerate = "npx drizzle-kit generate"\napply = "npx drizzle-kit migrate"\nfolder = "drizzle"\n',
  'src/title.ts': 'export const title = (name: string): string => name.trim()\n',
  'tests/title.test.ts':
    "import assert from 'node:assert/strict'\nimport { test } from 'node:test'\n" +
    "import { title } from '../src/title.ts'\n\ntest('a title has no blanks around it', () => assert.equal(title(' a '), 'a'))\n",
  'README.md': '# Stories\n',
})

export const SCHEMA_PATH = 'src/dynamic/schema/characters.ts'

/** What our own template makes of the plan of `feature-project.ts`. */
export const DRIZZLE_SCHEMA = `import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const characters = sqliteTable('characters', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  name: text('name', { length: 200 }).notNull(),
  role: text('role', { length: 100 }),
  age: integer('age'),
  createdAt: integer('created_at', { mode: 'timestamp' })
    .notNull()
    .$defaultFn(() => new Date()),
})

export type Character = typeof characters.$inferSelect
export type NewCharacter = typeof characters.$inferInsert
`

export const DRIZZLE_TOOL = `import type { BaseSQLiteDatabase } from 'drizzle-orm/sqlite-core'
import { characters, type Character } from '../schema/characters.ts'

/** What add_character takes. */
export interface AddCharacterInput {
  name: string
  role?: string | null
  age?: number | null
}

/** Adds a character to the database */
export async function addCharacter(
  db: BaseSQLiteDatabase<'sync' | 'async', unknown>,
  input: AddCharacterInput,
): Promise<Character> {
  const name = input.name.trim()
  if (name === '') throw new Error('name must not be empty')
  const [stored] = await db.insert(characters).values({ ...input, name }).returning()
  if (stored === undefined) throw new Error('the database did not tell what it stored')
  return stored
}
`

/** Over a database that the migration makes. */
export const DRIZZLE_TESTS = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient } from '@libsql/client'
import { drizzle } from 'drizzle-orm/libsql'
import { migrate } from 'drizzle-orm/libsql/migrator'
import { addCharacter } from '../../src/dynamic/tools/add_character.ts'

async function emptyDatabase() {
  const db = drizzle(createClient({ url: ':memory:' }))
  await migrate(db, { migrationsFolder: 'drizzle' })
  return db
}

test('a character is stored as it was given', async () => {
  const { name, role, age, createdAt } = await addCharacter(await emptyDatabase(), { name: 'Ann', role: 'hero', age: 30 })
  assert.deepEqual({ name, role, age }, { name: 'Ann', role: 'hero', age: 30 })
  assert.ok(createdAt instanceof Date)
})

test('a name is needed', async () => {
  await assert.rejects(addCharacter(await emptyDatabase(), { name: ' ' }), /name must not be empty/)
})
`

/** Says that the schema needs nothing beside what our template made of it. */
export const NOTHING_MISSING: Reply = { text: 'All of the fields are there; nothing is missing.' }

/** The replies of a coder that does all of it right. */
export const drizzleReplies = (): Reply[] => [
  NOTHING_MISSING,
  wrote({ [TOOL_PATH]: DRIZZLE_TOOL }),
  wrote({ [TEST_PATH]: DRIZZLE_TESTS }),
]
