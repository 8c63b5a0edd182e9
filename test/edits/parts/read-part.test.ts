import { test } from 'tap'
import { applyPart, block, checkParts, KEPT, WHOLE } from '../../helpers/part-cases.ts'

const LOAD = 'def load(path):\n    with open(path) as f:\n        return json.load(f)\n'
const SAVE = 'def save(path, data):\n    with open(path, "w") as f:\n        json.dump(data, f)\n'
const CART =
  'class Cart:\n    """What is bought."""\n\n    currency = "EUR"\n\n    def __init__(self):\n' +
  '        self.items = []\n\n' +
  '    def add(self, item):\n        self.items.append(item)\n\n    def total(self):\n' +
  '        return sum(item.price for item in self.items)\n'
const STORE = `import json\nimport os\n\nLIMIT = 10\n\n\n${LOAD}\n\n${SAVE}\n\n${CART}`
const NEW_LOAD = LOAD.replace('open(path)', 'open(path, encoding="utf-8")')
const TOTAL = '    def total(self):\n        return round(sum(item.price for item in self.items), 2)\n'
const OLD_TOTAL = '    def total(self):\n        return sum(item.price for item in self.items)\n'
const CHECK = 'def check(path):\n    return os.path.exists(path)\n'

test('a part of a Python file is placed by its definitions, or refused', async t => {
  const store = { path: 'shop/store.py', before: STORE }
  const loaded = STORE.replace(LOAD, NEW_LOAD)
  checkParts(t, store, [
    ['one function of many', NEW_LOAD, loaded],
    ['one function between remarks', `# ... existing code ...\n\n${NEW_LOAD}\n# ... rest unchanged ...\n`, loaded],
    ['a remark in a sentence', `${NEW_LOAD}\n# keep the remaining functions exactly as they are\n`, loaded],
    ['with the imports of the file', `import json\nimport os\n\n\n${NEW_LOAD}`, loaded],
    ['with a new import', `import json\nimport sys\n\n\n${NEW_LOAD}`, loaded.replace('os\n', 'os\nimport sys\n')],
    [
      'with an import that takes more names',
      `from pathlib import Path\n\n\n${NEW_LOAD}`,
      loaded.replace('os\n', 'os\nfrom pathlib import Path\n'),
    ],
    ['under its own name as a comment', `# shop/store.py\n${NEW_LOAD}`, loaded],
    ['a method in its class', `class Cart:\n    # ... other methods ...\n\n${TOTAL}`, STORE.replace(OLD_TOTAL, TOTAL)],
    ['a method in its class, without a remark', `class Cart:\n${TOTAL}`, STORE.replace(OLD_TOTAL, TOTAL)],
    ['a method without its class', TOTAL, STORE.replace(OLD_TOTAL, TOTAL)],
    ['a method without its class and indentation', TOTAL.replaceAll(/^ {4}/gm, ''), STORE.replace(OLD_TOTAL, TOTAL)],
    ['a new function behind one that is there', `${LOAD}\n\n${CHECK}`, STORE.replace(LOAD, `${LOAD}\n\n${CHECK}`)],
    ['a new function before one that is there', `${CHECK}\n\n${SAVE}`, STORE.replace(SAVE, `${CHECK}\n${SAVE}`)],
    ['a new function behind all the rest', `# ... existing code ...\n\n\n${CHECK}`, `${STORE}\n\n${CHECK}`],
    [
      'a new method behind one that is there',
      `class Cart:\n    # ...\n${TOTAL}\n    def clear(self):\n        self.items = []\n`,
      STORE.replace(OLD_TOTAL, `${TOTAL}\n    def clear(self):\n        self.items = []\n`),
    ],
    ['another value of a constant', 'LIMIT = 20\n\n# ... rest of the file ...\n', STORE.replace('= 10', '= 20')],
    ['functions whose bodies are left out', `${NEW_LOAD}\n\ndef save(path, data):\n    ...\n`, loaded],
    [
      'functions whose bodies are said to be left out',
      `${NEW_LOAD}\n\ndef save(path, data):\n    # ... unchanged ...\n`,
      loaded,
    ],
    ['functions that have the names of methods', 'def total(items):\n    return sum(items)\n', /lacks/],
    ['only a new function', CHECK, /lacks LIMIT, load, save, Cart/],
    ['a new function before all the rest', `${CHECK}\n# ... existing code ...\n`, /leaves out code/],
    ['a gap within a function', `def load(path):\n    # ... existing code ...\n    return None\n`, /leaves out code/],
    ['code that is no definition', `${NEW_LOAD}\nprint("loaded")\n`, /lacks LIMIT, save, Cart/],
    ['a class with another head', `class Cart(Base):\n${TOTAL}`, /lacks/],
    [
      'functions without a body',
      `${STORE.replace(/ {4}with open\(path, "w"\)[^]*?f\)\n/, '    pass\n')}`,
      /lacks lines of .*with open/,
    ],
    ['all of it but one function', STORE.replace(`${SAVE}\n\n`, ''), /lacks/],
    ['all of it but one method', STORE.replace(`\n${OLD_TOTAL}`, ''), /lacks/],
    ['all of it but a field', STORE.replace('    currency = "EUR"\n\n', ''), /lacks/],
    ['all of it but a constant', STORE.replace('LIMIT = 10\n\n\n', ''), /lacks/],
    ['all of it but an import', STORE.replace('import json\n', ''), /lacks/],
    ['an import that nothing uses is gone', STORE.replace('import os\n', ''), WHOLE],
    ['all of it', STORE.replace('"w"', '"a"'), WHOLE],
    ['all of it in another order', `import json\nimport os\n\nLIMIT = 1\n\n\n${CART}\n\n${SAVE}\n\n${LOAD}`, WHOLE],
    ['all of it and more', `${STORE}\n\n${CHECK}`, WHOLE],
    ['a function that is asked to go', STORE.replace(`${SAVE}\n\n`, ''), WHOLE, 'Remove save() and its tests.'],
    ['a function that is to stay', STORE.replace(`${SAVE}\n\n`, ''), /lacks/, 'Remove load() but keep save().'],
    [
      'a function that another needs',
      STORE.replace(`${SAVE}\n\n`, ''),
      /lacks/,
      'Replace load() so that save() works.',
    ],
    ['a function with a new name', STORE.replaceAll('load(path)', 'read(path)'), WHOLE, 'Rename load to read'],
    ['names of another style', STORE.replaceAll('save(', 'store_it('), WHOLE, 'Use better names for the functions.'],
    [
      'two functions for one',
      `${STORE.replace(LOAD, '')}\n\ndef opened(path):\n    return open(path)\n\n\ndef parsed(f):\n    return json.load(f)\n`,
      WHOLE,
      'Split `load` into two functions',
    ],
    [
      'a rewrite of the whole',
      'import csv\n\n\ndef main():\n    print(1)\n',
      WHOLE,
      'Rewrite the file from scratch with csv.',
    ],
    ['two of twenty for a change of all', NEW_LOAD, loaded, 'Refactor the code: open files as UTF-8.'],
    [
      'two of twenty where a few may go',
      `import json\n\n\n${LOAD}`,
      /lacks/,
      'Remove unused functions that nobody calls.',
    ],
  ])
})

test('where a request lets functions go that it does not name, none goes that the block still uses', async t => {
  const before = `${LOAD}\n\n${SAVE}\n\n${CHECK}\n\nif check("a"):\n    save("a", load("a"))\n`
  const without = (unit: string): string => before.replace(`${unit}\n\n`, '')
  const unused = before.replace('if check("a"):', 'if True:')
  checkParts(t, { path: 'a.py', before }, [
    ['one that is used', without(CHECK), /lacks check/, 'Remove unused functions.'],
  ])
  checkParts(t, { path: 'a.py', before: unused }, [
    ['one that is not used', unused.replace(`${CHECK}\n\n`, ''), WHOLE, 'Remove unused functions.'],
    ['another one', unused.replace(`${LOAD}\n\n`, ''), /lacks load/, 'Remove unused functions.'],
  ])
})

test('a class that shows all its methods, one of them as a stub, does not lose its body', async t => {
  const method = (name: string, body: string) => `    def ${name}(self):\n${body}`
  const body = '        rows = read(self.path)\n        self.rows = check(rows)\n        return rows\n'
  const shop = (load: string, total: string) => `class Shop:\n${method('load', load)}\n${method('total', total)}`
  const before = shop(body, '        return len(self.rows)\n')
  checkParts(
    t,
    { path: 'shop.py', before },
    ['pass', 'raise NotImplementedError', 'return None', '"""Loads the rows."""'].map(stub => [
      stub,
      shop(`        ${stub}\n`, '        return sum(self.rows)\n'),
      /lacks lines of shop\.py .*rows = read/,
    ]),
  )
})

test('definitions that move to another file of the same reply are not missed', async t => {
  const rest = STORE.replace(`${SAVE}\n\n`, '')
  const moved = `${block('store.py', rest)}\n${block('disk.py', `import json\n\n\n${SAVE}`)}`
  t.same(applyPart({ 'store.py': STORE }, moved), {
    files: { 'store.py': rest, 'disk.py': `import json\n\n\n${SAVE}` },
    rejected: [],
  })
  const diff = `${block('store.py', rest)}\n\`\`\`diff\n--- /dev/null\n+++ b/disk.py\n@@ -0,0 +1,3 @@\n${SAVE.replaceAll(/^/gm, '+').slice(0, -1)}\`\`\`\n`
  t.equal(applyPart({ 'store.py': STORE }, diff).files['store.py'], rest)
  const other = `${block('store.py', rest)}\n${block('disk.py', 'def save():\n    print("something else altogether")\n')}`
  t.equal(applyPart({ 'store.py': STORE }, other).files['store.py'], STORE)
})

test('a class that gets a new name keeps its methods', async t => {
  const renamed = STORE.replace('class Cart', 'class Basket')
  checkParts(t, { path: 'store.py', before: STORE }, [
    ['all of its methods', renamed, WHOLE, 'Rename the class Cart to Basket'],
    [
      'not all of its methods',
      renamed.replace(`\n${OLD_TOTAL}`, ''),
      /lacks Cart.total/,
      'Rename the class Cart to Basket',
    ],
    ['a class that is asked to go', STORE.replace(CART, ''), WHOLE, 'Delete the Cart class.'],
  ])
})

const APP_JS =
  "import express from 'express'\nimport { read } from './files.js'\n\nexport const LIMIT = 10\n" +
  'const app = express()\n\n' +
  "app.get('/items', (req, res) => {\n  res.json(read('items'))\n})\n\n" +
  "app.post('/items', (req, res) => {\n  res.status(201).end()\n})\n\n" +
  'export function start (port) {\n  return app.listen(port)\n}\n\n' +
  'export class Clock {\n  now () {\n    return Date.now()\n  }\n\n  later (ms) {\n    return this.now() + ms\n  }\n}\n'
const START = 'export function start (port) {\n  return app.listen(port)\n}\n'
const NEW_START = "export function start (port) {\n  return app.listen(port, '127.0.0.1')\n}\n"

test('a part of a JavaScript file', async t => {
  checkParts(t, { path: 'src/app.js', before: APP_JS }, [
    ['one function', NEW_START, APP_JS.replace(START, NEW_START)],
    ['one function and dots', `// ...\n\n${NEW_START}\n// ...\n`, APP_JS.replace(START, NEW_START)],
    [
      'a method',
      'export class Clock {\n  // ... existing methods ...\n\n  later (ms) {\n    return Date.now() + ms\n  }\n}\n',
      APP_JS.replace('this.now() + ms', 'Date.now() + ms'),
    ],
    [
      'an import that takes more',
      `import { read, write } from './files.js'\n\n${NEW_START}`,
      APP_JS.replace('{ read }', '{ read, write }').replace(START, NEW_START),
    ],
    ['an import of another form', `import files, { read } from './files.js'\n\n${NEW_START}`, /lacks/],
    ['a route', "app.get('/items', (req, res) => {\n  res.json([])\n})\n", /lacks LIMIT, start, Clock|lacks/],
    ['all but a route', APP_JS.replace(/app\.post[^]*?\}\)\n\n/, ''), /lacks/],
    ['all but a method', APP_JS.replace(/\n {2}later[^]*?\n {2}\}\n/, ''), /lacks/],
    ['bodies in dots', APP_JS.replace(/\{\n {2}return app[^]*?\n\}/, '{ ... }'), KEPT],
    ['bodies in a comment of dots', APP_JS.replace(/\{\n {2}return app[^]*?\n\}/, '{ /* ... */ }'), KEPT],
    ['all of it', APP_JS.replace('10', '20'), WHOLE],
    ['a function as a constant', APP_JS.replace(START, 'export const start = port => app.listen(port)\n'), WHOLE],
    [
      'a function that is asked to go',
      APP_JS.replace(`${START}\n`, ''),
      WHOLE,
      'Drop the `start` function; listen in main.js.',
    ],
  ])
  const tests =
    "import { test } from 'tap'\n\ntest('adds', t => {\n  t.equal(1 + 1, 2)\n  t.end()\n})\n\n" +
    "test('takes away', t => {\n  t.equal(1 - 1, 0)\n  t.end()\n})\n\ntest('divides', t => {\n" +
    '  t.equal(4 / 2, 2)\n  t.end()\n})\n'
  checkParts(t, { path: 'test/sum.test.js', before: tests }, [
    ['two tests of three', tests.replace(/\ntest\('divides[^]*/, ''), /lacks/],
    ['a new test', `${tests}\ntest('more', t => {\n  t.end()\n})\n`, WHOLE],
    ['tests that are asked to go', tests.replace(/\ntest\('divides[^]*/, ''), WHOLE, "Remove the test 'divides'."],
  ])
})

const SHOP_TS =
  "import type { Item } from './item'\n\nexport interface Options {\n  limit: number\n  name?: string\n}\n\n" +
  "export type Kind = 'a' | 'b'\n\nenum Color { Red, Green }\n\n" +
  'export async function load(options: Options): Promise<Item[]> {\n' +
  '  return []\n}\n\nexport const save = async (items: Item[]): Promise<void> => {\n  console.log(items)\n}\n'

test('a part of a TypeScript file', async t => {
  const save = 'export const save = async (items: Item[]): Promise<void> => {\n  console.log(items.length)\n}\n'
  checkParts(t, { path: 'shop.ts', before: SHOP_TS }, [
    ['one function', save, SHOP_TS.replace('log(items)', 'log(items.length)')],
    ['an interface with a field less', SHOP_TS.replace('  name?: string\n', ''), /lacks/],
    ['an interface of one field', 'export interface Options {\n  limit: number\n  // ...\n}\n', SHOP_TS],
    ['without a type', SHOP_TS.replace("export type Kind = 'a' | 'b'\n\n", ''), /lacks/],
    ['all of it', SHOP_TS.replace('limit: number', 'limit: bigint'), WHOLE],
  ])
})

const GO =
  'package shop\n\nimport (\n\t"fmt"\n\t"os"\n)\n\n// Cart is what is bought.\ntype Cart struct {\n' +
  '\tItems []string\n\tOwner string\n}\n\n' +
  '// Add adds.\nfunc (c *Cart) Add(item string) {\n\tc.Items = append(c.Items, item)\n}\n\n' +
  'func Load(path string) (*Cart, error) {\n\t_, err := os.ReadFile(path)\n\treturn nil, err\n}\n\n' +
  'func Print(c *Cart) {\n\tfmt.Println(c)\n}\n'

test('a part of a Go file', async t => {
  const add = 'func (c *Cart) Add(item string) {\n\tc.Items = append(c.Items, item+"!")\n}\n'
  checkParts(t, { path: 'shop/cart.go', before: GO }, [
    ['one method; the comment above stays', add, GO.replace('Items, item)', 'Items, item+"!")')],
    ['with the package', `package shop\n\n${add}`, GO.replace('Items, item)', 'Items, item+"!")')],
    ['a field less', GO.replace('\tOwner string\n', ''), /lacks/],
    ['a function less', GO.replace(/\nfunc Load[^]*?\n\}\n/, ''), /lacks/],
    ['all of it', GO.replace('nil, err', '&Cart{}, err'), WHOLE],
  ])
})

test('parts of files in other languages', async t => {
  const java =
    'package shop;\n\nimport java.util.List;\n\npublic class Cart {\n  private int count = 0;\n\n' +
    '  public void add(int n) {\n    count += n;\n  }\n\n' +
    '  public int count() {\n    return count;\n  }\n}\n'
  checkParts(t, { path: 'Cart.java', before: java }, [
    [
      'a method in its class',
      'public class Cart {\n  // ... existing code ...\n\n  public int count() {\n' +
        '    return Math.max(0, count);\n  }\n}\n',
      java.replace('return count;', 'return Math.max(0, count);'),
    ],
    ['a method less', java.replace(/\n {2}public int count[^]*?\n {2}\}\n/, ''), /lacks/],
    ['a field less', java.replace('  private int count = 0;\n\n', ''), /lacks/],
    ['all of it', java.replace('= 0', '= 1'), WHOLE],
  ])
  const rust =
    'use std::fs;\n\npub struct Cart {\n    pub items: Vec<String>,\n}\n\nimpl Cart {\n' +
    '    pub fn new() -> Self {\n        Cart { items: vec![] }\n    }\n\n' +
    '    pub fn len(&self) -> usize {\n        self.items.len()\n    }\n}\n\n' +
    'pub fn load(path: &str) -> String {\n    fs::read_to_string(path).unwrap()\n}\n'
  checkParts(t, { path: 'src/cart.rs', before: rust }, [
    [
      'a function',
      'pub fn load(path: &str) -> String {\n    fs::read_to_string(path).unwrap_or_default()\n}\n',
      rust.replace('unwrap()', 'unwrap_or_default()'),
    ],
    ['a method less', rust.replace(/\n {4}pub fn len[^]*?\n {4}\}\n/, ''), /lacks/],
  ])
  const ruby =
    "require 'json'\n\nmodule Shop\n  class Cart\n    def add(item)\n      @items << item\n    end\n\n" +
    '    def total\n      @items.sum\n    end\n  end\nend\n'
  checkParts(t, { path: 'cart.rb', before: ruby }, [
    [
      'a method in its module and class',
      'module Shop\n  class Cart\n    # ... existing methods ...\n\n    def total\n' +
        '      @items.sum.round(2)\n    end\n  end\nend\n',
      ruby.replace('.sum', '.sum.round(2)'),
    ],
    ['a method less', ruby.replace(/\n {4}def total[^]*?\n {4}end\n/, ''), /lacks/],
  ])
  const php =
    '<?php\n\nfunction load(string $path): string\n{\n    return file_get_contents($path);\n}\n\n' +
    'function save(string $path): void\n{\n    touch($path);\n}\n'
  checkParts(t, { path: 'files.php', before: php }, [
    ['a function less', php.replace(/\nfunction save[^]*/, ''), /lacks/],
    ['all of it', php.replace('touch', 'unlink'), WHOLE],
  ])
  const c =
    '#include <stdio.h>\n\n#define MAX 10\n\nstatic int count = 0;\n\nint add(int n) {\n    count += n;\n' +
    '    return count;\n}\n\nint main(void) {\n    printf("%d\\n", add(1));\n    return 0;\n}\n'
  checkParts(t, { path: 'main.c', before: c }, [
    ['a function', 'int add(int n) {\n    count += 2 * n;\n    return count;\n}\n', c.replace('+= n', '+= 2 * n')],
    ['a macro less', c.replace('#define MAX 10\n\n', ''), /lacks/],
  ])
  const shell = '#!/bin/bash\nset -e\n\nNAME=shop\n\nbuild() {\n  make all\n}\n\nclean() {\n  rm -rf out\n}\n\nbuild\n'
  checkParts(t, { path: 'run.sh', before: shell }, [
    ['a function', 'build() {\n  make -j2 all\n}\n', shell.replace('make all', 'make -j2 all')],
    ['a function less', shell.replace(/clean[^]*?\n\}\n\n/, ''), /lacks/],
    ['a variable less', shell.replace('NAME=shop\n\n', ''), /lacks/],
  ])
  const lua =
    'local M = {}\n\nfunction M.add(a, b)\n  return a + b\nend\n\nfunction M.sub(a, b)\n  return a - b\n' +
    'end\n\nreturn M\n'
  checkParts(t, { path: 'm.lua', before: lua }, [
    ['a function less', lua.replace(/function M.sub[^]*?end\n\n/, ''), /lacks M.sub/],
    ['all of it', lua.replace('a - b', 'b - a'), WHOLE],
  ])
  const sql =
    'CREATE TABLE items (\n  id INTEGER PRIMARY KEY,\n  name TEXT\n);\n\nCREATE TABLE users (\n' +
    '  id INTEGER\n);\n\nCREATE INDEX by_name ON items (name);\n'
  checkParts(t, { path: 'schema.sql', before: sql }, [
    ['a table less', sql.replace(/\nCREATE TABLE users[^]*?\);\n/, ''), /lacks/],
    ['a column less', sql.replace(',\n  name TEXT', ''), /lacks items.name/],
    ['an index less', sql.replace(/\nCREATE INDEX.*\n/, ''), /lacks/],
    ['all of it', sql.replace('name TEXT', 'name VARCHAR'), WHOLE],
  ])
})

test('parts of files that hold no code', async t => {
  const pkg =
    '{\n  "name": "shop",\n  "scripts": {\n    "test": "tap",\n    "build": "tsc"\n  },\n' +
    '  "dependencies": {\n    "express": "^4.0.0",\n    "moment": "^2.0.0"\n  }\n}\n'
  checkParts(t, { path: 'package.json', before: pkg }, [
    [
      'only the scripts',
      '{\n  "scripts": {\n    "test": "tap --jobs=1"\n  }\n}\n',
      /lacks name, scripts.build, dependencies of package.json/,
    ],
    ['no JSON', '"scripts": {\n  "test": "tap"\n}\n', /it is no JSON/],
    ['dots', '{\n  "scripts": { "test": "tap" },\n  ...\n}\n', /leaves out/],
    ['a remark', '{\n  // ... existing fields ...\n  "scripts": { "test": "tap" }\n}\n', /leaves out/],
    ['a dependency less', pkg.replace(',\n    "moment": "^2.0.0"', ''), /lacks dependencies.moment/],
    [
      'a dependency for another',
      pkg.replace('"moment": "^2.0.0"', '"dayjs": "^1.0.0"'),
      WHOLE,
      'Replace moment with dayjs.',
    ],
    ['all of it', pkg.replace('tsc', 'tsc -p .'), WHOLE],
  ])
  const yaml =
    'version: "3"\nservices:\n  web:\n    image: nginx\n    ports:\n      - "80:80"\n  db:\n' +
    '    image: postgres\nvolumes:\n  data: {}\n'
  checkParts(t, { path: 'docker-compose.yml', before: yaml }, [
    ['one service', 'services:\n  db:\n    image: postgres:16\n', yaml.replace('postgres', 'postgres:16')],
    ['one service with a key less', 'services:\n  web:\n    image: caddy\n', /lacks version/],
    [
      'one service between remarks',
      'services:\n  # ... other services ...\n  db:\n    image: postgres:16\n',
      yaml.replace('postgres', 'postgres:16'),
    ],
    ['one item of a list', 'services:\n  web:\n    ports:\n      - "81:80"\n', /lacks version/],
    ['a remark', `${yaml.slice(0, yaml.indexOf('  db'))}  # ... other services ...\n`, KEPT],
    ['a key less', yaml.replace('    ports:\n      - "80:80"\n', ''), /lacks services.web.ports/],
    [
      'a section',
      'volumes:\n  data: {}\n  logs: {}\n# ... rest unchanged ...\n',
      yaml.replace('data: {}', 'data: {}\n  logs: {}'),
    ],
    ['all of it', yaml.replace('nginx', 'caddy'), WHOLE],
  ])
  const toml =
    '[project]\nname = "shop"\nversion = "1"\n\n[project.scripts]\nshop = "shop:main"\n\n[tool.ruff]\n' +
    'line-length = 100\n'
  checkParts(t, { path: 'pyproject.toml', before: toml }, [
    ['one section', '[tool.ruff]\nline-length = 120\n', toml.replace('100', '120')],
    ['one key of a section', '[project]\nversion = "2"\n', toml.replace('"1"', '"2"')],
    ['a new key', '[project]\nversion = "1"\nlicense = "MIT"\n', toml.replace('"1"\n', '"1"\nlicense = "MIT"\n')],
    ['all but a key', toml.replace('name = "shop"\n', ''), /lacks/],
    ['all of it', toml.replace('100', '88'), WHOLE],
  ])
  const env = '# database\nDB_HOST=localhost\nDB_PORT=5432\n\nSECRET=x\n'
  checkParts(t, { path: '.env', before: env }, [
    ['one key', 'DB_PORT=5433\n', env.replace('5432', '5433')],
    ['a key less', env.replace('SECRET=x\n', ''), /lacks/],
    ['all of it', env.replace('5432', '5433'), WHOLE],
  ])
  const css =
    ':root {\n  --gap: 4px;\n}\n\n.btn {\n  color: red;\n  padding: 2px;\n}\n\n' +
    '@media (max-width: 600px) {\n  .btn {\n    color: blue;\n  }\n}\n'
  checkParts(t, { path: 'style.css', before: css }, [
    ['one rule', '.btn {\n  color: green;\n  padding: 2px;\n}\n', css.replace('red', 'green')],
    [
      'one rule and a remark',
      '/* ... existing styles ... */\n.btn {\n  color: green;\n  padding: 2px;\n}\n',
      css.replace('red', 'green'),
    ],
    ['a rule that sets less', '.btn {\n  color: green;\n}\n', /lacks :root/],
    ['all but a rule', css.replace(/:root[^]*?\}\n\n/, ''), /lacks/],
    ['all but a rule for small screens', css.replace(/ {2}\.btn \{\n {4}[^]*?\n {2}\}\n/, ''), /lacks/],
    ['all of it', css.replace('red', 'green'), WHOLE],
  ])
  const md = '# Shop\n\nA shop.\n\n## Install\n\nnpm install\n\n## Usage\n\nnpm start\n\n### Options\n\nNone.\n'
  checkParts(t, { path: 'README.md', before: md }, [
    ['one section', '## Install\n\nnpm ci\n', md.replace('npm install', 'npm ci')],
    ['all but a section', md.replace('## Install\n\nnpm install\n\n', ''), /lacks/],
    ['a remark', `${md.slice(0, md.indexOf('## Usage'))}... (rest of the README unchanged)\n`, /leaves out/],
    [
      'a section that is asked to go',
      md.replace('## Install\n\nnpm install\n\n', ''),
      WHOLE,
      'Remove the Install section.',
    ],
    ['all of it', md.replace('A shop.', 'The shop.'), WHOLE],
  ])
  const html =
    '<!doctype html>\n<html>\n<head>\n  <title>Shop</title>\n  <link rel="stylesheet" href="style.css">\n' +
    '</head>\n<body>\n  <nav id="menu"></nav>\n  <main id="list"></main>\n' +
    '  <script src="app.js"></script>\n</body>\n</html>\n'
  checkParts(t, { path: 'index.html', before: html }, [
    ['one element', '<main id="list">\n  <p>Empty</p>\n</main>\n', /lacks <.*html>/],
    ['a remark', html.replace('  <nav id="menu"></nav>\n', '  <!-- ... -->\n'), /leaves out/],
    ['an element less', html.replace('  <nav id="menu"></nav>\n', ''), /lacks <nav>/],
    ['a script less', html.replace('  <script src="app.js"></script>\n', ''), /lacks <script>/],
    ['all of it', html.replace('Shop', 'The shop'), WHOLE],
  ])
  const docker =
    'FROM node:24 AS build\nWORKDIR /app\nCOPY . .\nRUN npm ci\n\nFROM node:24\nENV PORT=80\nEXPOSE 80\n' +
    'CMD ["node", "app.js"]\n'
  checkParts(t, { path: 'Dockerfile', before: docker }, [
    ['one instruction', 'RUN npm ci --omit=dev\n', /lacks FROM build/],
    ['a remark', docker.replace('ENV PORT=80\n', '# ... rest unchanged ...\n'), /leaves out/],
    ['a command less', docker.replace(/CMD.*\n/, ''), /lacks CMD/],
    ['all of it', docker.replaceAll('node:24', 'node:22'), WHOLE],
  ])
  const make = 'CC = gcc\n\nall: main.o\n\t$(CC) -o main main.o\n\nclean:\n\trm -f main\n\n.PHONY: all clean\n'
  checkParts(t, { path: 'Makefile', before: make }, [
    ['one target', 'clean:\n\trm -rf main out\n', make.replace('-f main\n', '-rf main out\n')],
    ['a target less', make.replace('clean:\n\trm -f main\n\n', ''), /lacks/],
    ['all of it', make.replace('gcc', 'cc'), WHOLE],
  ])
  const requirements = '# web\nflask==2.0\nrequests>=2\n'
  checkParts(t, { path: 'requirements.txt', before: requirements }, [
    ['a package less', requirements.replace('flask==2.0\n', ''), /lacks flask/],
    ['all of it', requirements.replace('2.0', '3.0'), WHOLE],
  ])
  const license = `${Array.from({ length: 20 }, (_, i) => `Paragraph ${i} of the licence.`).join('\n')}\n`
  checkParts(t, { path: 'LICENSE.txt', before: license }, [
    ['three lines of twenty', license.split('\n').slice(3, 6).join('\n'), /lacks lines of LICENSE.txt/],
    ['another text', license.replaceAll('Paragraph', 'Clause'), WHOLE],
  ])
})

test('line ends, a byte order mark and an open end of the file stay where a part is placed', async t => {
  const crlf = `\uFEFF${STORE.replaceAll('\n', '\r\n')}`
  checkParts(t, { path: 'store.py', before: crlf }, [
    ['', NEW_LOAD, `\uFEFF${STORE.replace(LOAD, NEW_LOAD).replaceAll('\n', '\r\n')}`],
  ])
  const open = STORE.slice(0, -1)
  checkParts(t, { path: 'store.py', before: open }, [
    ['', TOTAL, STORE.replace(OLD_TOTAL, TOTAL).slice(0, -1)],
    ['', `# ... existing code ...\n\n\n${CHECK}`, `${STORE}\n\n${CHECK}`.slice(0, -1)],
  ])
})
