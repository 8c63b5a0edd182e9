import fc from 'fast-check'
import { test } from 'tap'
import { renderDialogue } from '../../../../src/core/dialogue.ts'
import { FaultlineError } from '../../../../src/core/errors.ts'
import { chooseContext, renderContext } from '../../../../src/pipelines/task/context/gather.ts'
import { committedFiles } from '../../../../src/pipelines/steps/base/committed-files.ts'
import { runs } from '../../../helpers/property-runs.ts'
import { signal } from '../../../repos/objects/commit-to.ts'
import { baseOf, blocksIn, commitOf, contextDeps, finding, gather, pathsAt } from './context-fixture.ts'

const SHOP = {
  'package.json': '{"name": "shop", "main": "src/shop.ts"}\n',
  'tsconfig.json': '{}\n',
  'CLAUDE.md': 'Use tabs.\n',
  'README.md': '# Shop\n',
  'AGENTS.md': 'Write a test for each change.\n',
  '.github/CONTRIBUTING.md': 'Sign your commits.\n',
  'src/shop.ts': "import { cart } from './cart/cart.js'\nexport const shop = cart\n",
  'src/cart/cart.ts':
    "import { price } from './price.js'\nimport type { Item } from '../types'\nexport const cart = price\n",
  'src/cart/AGENTS.md': 'Prices are whole cents.\n',
  'src/cart/price.ts': "import { round } from '../numbers'\nexport const price = round\n",
  'src/numbers/index.ts': 'export const round = Math.round\n',
  'src/types.ts': 'export interface Item { price: number }\n',
  'src/LogoutButton.vue': '<template>Out</template>\n',
  'src/mail/letter.ts': 'export const letter = 1\n',
  'src/vat.ts': 'export const vat = 19\n',
  'src/logo.svg': '<svg/>\n',
  'node_modules/price/index.js': 'module.exports = 1\n',
  'dist/price.js': 'var price\n',
  'vendor/price/price.php': '<?php\n',
  '.hidden/price.ts': 'export {}\n',
  '.env': 'PRICE=secret\n',
  'yarn.lock': 'price@1\n',
}

test('four levels: what the project is, its tree, key files, and what those import', async t => {
  const { base } = await commitOf(t, SHOP)
  const { selection, context, deps } = await gather(
    base,
    'The logout button asks for confirmation; see the cart.',
    finding(['src/mail/letter.ts', 'src/gone.ts']),
  )
  t.same(pathsAt(selection, 'metadata'), ['package.json', 'CLAUDE.md', 'README.md', 'tsconfig.json'])
  t.same(pathsAt(selection, 'guide'), ['AGENTS.md', '.github/CONTRIBUTING.md', 'src/cart/AGENTS.md'])
  t.same(pathsAt(selection, 'key'), [
    'src/mail/letter.ts',
    'src/cart/cart.ts',
    'src/LogoutButton.vue',
    'src/shop.ts',
    'src/types.ts',
  ])
  t.same(pathsAt(selection, 'import'), ['src/cart/price.ts'], 'one step, and nothing twice')
  t.same(context.shown, context.whole)
  t.same(
    context.shown,
    selection.files.map(({ path }) => path),
  )
  t.ok(Math.abs(selection.tokens - deps.countTokens(context.text)) < 150, 'tokens are those of the text')
  t.same(
    blocksIn(context.text).map(({ name }) => name),
    [
      ...pathsAt(selection, 'metadata'),
      ...pathsAt(selection, 'guide'),
      '',
      ...pathsAt(selection, 'key'),
      ...pathsAt(selection, 'import'),
    ],
  )
  t.match(context.text, '\nsrc/cart/price.ts\n```\n' + SHOP['src/cart/price.ts'] + '```')
})

test('no dependency, output, dot folder, binary, lock file or secret is shown or listed', async t => {
  const { base } = await commitOf(t, {
    ...SHOP,
    'src/price.bin.txt': Buffer.from([112, 0, 1]),
    'src/link.ts': { symlink: '/etc/passwd' },
  })
  const every = Object.keys(SHOP)
  const { context } = await gather(base, 'price price.ts .env logo link yarn.lock price.bin.txt', finding(every))
  for (const part of ['node_modules', 'dist', 'vendor', '.hidden', '.env', 'secret', 'yarn.lock', 'logo.svg', 'link']) {
    t.notMatch(context.text.replace(/^.*confirmation.*$/gm, ''), part, part)
  }
  t.notOk(context.shown.includes('src/price.bin.txt'), 'its name says text, its bytes do not')
  t.match(context.text, 'vat.ts')
})

test('what a task names by its path is shown, an ignored folder or not, but no secret', async t => {
  const { base } = await commitOf(t, { ...SHOP, 'my docs/привет мир.py': 'print(1)\n' })
  const { selection } = await gather(base, 'Mend vendor/price/price.php, "my docs/привет мир.py" and .env')
  t.same(pathsAt(selection, 'key').slice(0, 2), ['vendor/price/price.php', 'my docs/привет мир.py'])
  t.notOk(selection.files.some(({ path }) => path === '.env'))
})

test('imports of an older index do not count: those of the commit do, in other languages as well', async t => {
  const { base } = await commitOf(t, {
    'app/__init__.py': '',
    'app/handlers.py': 'from .models import User\nfrom app.text import words\nimport os\nfrom ...outside import x\n',
    'app/models.py': 'class User: pass\n',
    'app/text.py': 'words = []\n',
    'cmd/tool/main.go': 'package main\nimport "example.com/shop/internal/store"\nfunc main() {}\n',
    'go.mod': 'module example.com/shop\n',
    'internal/store/store.go': 'package store\n',
    'internal/store/store_test.go': 'package store\n',
  })
  const { selection } = await gather(base, 'handlers fail')
  t.same(pathsAt(selection, 'key'), ['app/handlers.py', 'app/__init__.py', 'cmd/tool/main.go'])
  t.same(pathsAt(selection, 'import'), ['app/models.py', 'app/text.py', 'internal/store/store.go'])
  t.same(pathsAt(selection, 'metadata'), ['go.mod'])
})

test('a search that fails is a note, a job that is cancelled is not', async t => {
  const base = baseOf(SHOP)
  const failing = async () => {
    throw new FaultlineError('INDEX_NOT_READY', 'Nothing is indexed yet.')
  }
  const { selection } = await gather(base, 'the cart', failing)
  t.same(selection.notes, ['The index was not searched for the task: Nothing is indexed yet.'])
  t.ok(pathsAt(selection, 'key').includes('src/cart/cart.ts'))
  const request = { base, at: { projectName: 'shop', repository: 'shop' }, description: 'cart' }
  await t.rejects(
    chooseContext(contextDeps(failing), { ...request, signal: AbortSignal.abort() }),
    { code: 'INDEX_NOT_READY' },
    'the caller sees what its signal did',
  )
  const broken = async () => {
    throw new TypeError('a bug')
  }
  await t.rejects(chooseContext(contextDeps(broken), { ...request, signal }), { message: 'a bug' })
})

test('hits of another repository of the project choose nothing', async t => {
  const { selection } = await gather(baseOf(SHOP), 'xyzzy', finding(['src/vat.ts'], 'other'))
  t.notOk(selection.files.some(({ path }) => path === 'src/vat.ts'))
})

test('an empty repository is said to be empty', async t => {
  const { base } = await commitOf(t, {})
  const { selection, context } = await gather(base, 'Write a shop')
  t.same(selection.files, [])
  t.equal(context.text, '# The files of the repository\n\nThe repository holds no file yet.')
  t.same(context.shown, [])
})

test('the same commit and selection make the same text, in another process as well', async t => {
  const { base, reader, commit } = await commitOf(t, SHOP)
  const task = 'the cart of the shop'
  const { selection, context, deps } = await gather(base, task)
  const again = committedFiles(reader, { repository: 'shop', commit })
  t.same((await gather(again, task)).selection, selection)
  const stored = JSON.parse(JSON.stringify(selection)) as typeof selection
  const anew = committedFiles(reader, { repository: 'shop', commit })
  t.same(await renderContext(deps, { base: anew, selection: stored }), context)
})

test('levels keep to their budgets, however large the files are', async t => {
  const words = (count: number, word: string) => `${word} cart one two three four five six\n`.repeat(count)
  const files = {
    'package.json': words(3_000, 'a'),
    'README.md': words(3_000, 'b'),
    'AGENTS.md': words(3_000, 'c'),
    'CONTRIBUTING.md': words(3_000, 'd'),
    'src/cart.ts': words(5_000, 'large'),
    'src/shop.ts': `${Array.from({ length: 60 }, (_, at) => `import './part${at}'`).join('\n')}\n`,
    ...Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`src/part${at}.ts`, words(60, `part${at}`)])),
    ...Object.fromEntries(Array.from({ length: 900 }, (_, at) => [`more/folder${at % 30}/f${at}.ts`, words(100, 'x')])),
  }
  const more = Array.from({ length: 40 }, (_, at) => `more/folder${at % 30}/f${at}.ts`)
  const { selection, context, deps } = await gather(baseOf(files), 'the cart of the shop', finding(more))
  const tokensOf = (level: string) =>
    deps.countTokens(
      blocksIn(context.text)
        .filter(({ name }) => pathsAt(selection, level).includes(name))
        .map(({ name, content }) => `${name}\n\`\`\`\n${content}\n\`\`\`\n\n`)
        .join(''),
    )
  for (const [level, budget, least] of [
    ['metadata', 5_000, 3_000],
    ['guide', 5_000, 4_000],
    ['key', 30_000, 15_000],
    ['import', 20_000, 12_000],
  ] as const) {
    t.ok(tokensOf(level) <= budget, `${level}: ${tokensOf(level)} tokens`)
    t.ok(tokensOf(level) >= least, `${level} is used: ${tokensOf(level)} tokens`)
  }
  t.ok(deps.countTokens(context.text) <= 60_000, `${deps.countTokens(context.text)} tokens`)
  t.ok(selection.tokens <= 60_000)
  t.same(
    selection.files.filter(({ isWhole }) => !isWhole).map(({ path }) => path),
    ['package.json', 'README.md', 'AGENTS.md', 'CONTRIBUTING.md', 'src/cart.ts'],
  )
  t.notOk(context.whole.includes('src/cart.ts'))
  t.match(context.text, /\(Only the first \d+ of 5000 lines of this file are shown\.\)/)
})

test('a file of more than 100 KB is cut at the end of a line, a small one is whole', async t => {
  const text = 'x = 1\n'.repeat(30_000)
  const { selection, context } = await gather(baseOf({ 'table.py': text, 'small.py': 'x = 1\n' }), 'table.py small.py')
  const [small, large] = selection.files
  t.match(large, { path: 'table.py', isWhole: false, level: 'key' })
  t.ok((large?.lines ?? 0) * 6 <= 102_400)
  t.match(small, { path: 'small.py', isWhole: true })
  t.same(context.whole, ['small.py'])
  t.match(blocksIn(context.text).find(({ name }) => name === 'table.py')?.content, /^(?:x = 1\n)+x = 1$/)
})

test('a file that has no lines is not counted for ever', async t => {
  const { selection } = await gather(
    baseOf({ 'data.js': 'x'.repeat(900_000), 'cart.js': 'let a\n', 'blank.js': ' '.repeat(900_000) }),
    'data.js cart.js blank.js',
  )
  t.same(pathsAt(selection, 'key'), ['cart.js'])
})

test('no content can leave its fence, whatever it is', async () => {
  const hostile = fc
    .array(
      fc.constantFrom(
        '```',
        '````',
        '`',
        '\n',
        '# Files that those import\n',
        'src/x.ts\n',
        '</data-',
        'cart',
        '"',
        '\r',
      ),
      { maxLength: 30 },
    )
    .map(parts => parts.join(''))
  const path = fc
    .array(fc.constantFrom('a', 'ä', '日', ' ', '`', '#', '$', '"', "'", '<', 'cart', '.ts', '-'), {
      minLength: 1,
      maxLength: 8,
    })
    .map(parts => parts.join(''))
    .filter(name => name.trim() === name && !/^\.+$/.test(name))
  await fc.assert(
    fc.asyncProperty(fc.dictionary(path, hostile, { maxKeys: 6, noNullPrototype: true }), async files => {
      const all = { 'cart.ts': "import './price'\n", 'price.ts': '```\n', 'README.md': '````\n```', ...files }
      const { selection, context, deps } = await gather(baseOf(all), 'cart', finding(Object.keys(files)))
      const named = new Map(blocksIn(context.text).map(({ name, content }) => [name, content]))
      if (named.size !== selection.files.length + 1) throw new Error(`blocks of ${[...named.keys()].join(', ')}`)
      for (const { path: shown } of selection.files) {
        const text = all[shown as keyof typeof all]
        if (named.get(shown) !== text.replace(/\n$/, '')) throw new Error(`${shown} is not what it was`)
      }
      if (deps.countTokens(context.text) > 60_000) throw new Error('more than the budget')
      const { messages } = renderDialogue(
        () => 'rule',
        [
          { role: 'system', content: 'x' },
          { role: 'user', content: { label: 'files', text: context.text } },
        ],
      )
      if (!messages[1]?.content.includes(context.text)) throw new Error('the context is changed on its way')
    }),
    { numRuns: runs(300) },
  )
})

test('any tree of files keeps to the budget of the whole', async () => {
  const size = fc.integer({ min: 0, max: 40_000 })
  const path = fc
    .array(fc.constantFrom('src', 'cart', 'types', 'index', 'docs', 'ünï côde'), { minLength: 1, maxLength: 8 })
    .map(names => `${names.join('/')}.ts`)
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(path, size), { maxLength: 120 }), async files => {
      const all = Object.fromEntries(
        files.map(([name, length]) => [name, "import './cart'\nconst a = 'ü'\n".repeat(length / 30)]),
      )
      const { selection, context, deps } = await gather(baseOf(all), 'cart index types', finding(Object.keys(all)))
      const tokens = deps.countTokens(context.text)
      if (tokens > 60_000 || selection.tokens > 60_000) throw new Error(`${tokens} and ${selection.tokens} tokens`)
      if (new Set(context.shown).size !== context.shown.length) throw new Error('a file is shown twice')
    }),
    { numRuns: runs(60) },
  )
})
