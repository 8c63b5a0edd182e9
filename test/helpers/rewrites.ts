/** A rewrite of one of the files: its path, its name, a text of it, what stands there in the block, and the request. */
export type Rewrite = readonly [path: string, name: string, from: string | RegExp, to: string, request?: string]

/** Files of many languages, as projects have them. */
export const FILES: Readonly<Record<string, string>> = {
  'app.py':
    '"""Shop.\n\nCopyright 2024 Jane Doe. Licensed under the MIT licence.\n"""\nimport json\nimport sys\n' +
    'from flask import Flask\n\n' +
    'sys.setrecursionlimit(5000)\napp = Flask(__name__)\n\nLIMITS = {\n    "free": 10,\n    "pro": 100,\n' +
    '    "team": 500,\n    "max": 1000,\n}\n' +
    'HOSTS = ["a.example", "b.example", "c.example"]\n\n\n@app.route("/items")\n@cached\ndef items():\n' +
    '    """All items."""\n    rows = load("items")\n    print("debug", rows)\n' +
    '    found = []\n    for row in rows:\n        if row["count"] > 0:\n' +
    '            found.append(row["name"])\n    return json.dumps(found)\n\n\n' +
    'def check(order):\n    if order is None:\n        raise ValueError("no order")\n' +
    '    if order.total < 0:\n        raise ValueError("negative")\n    if not order.items:\n' +
    '        raise ValueError("empty")\n    order.total = round(order.total, 2)\n    return order\n\n\n' +
    'def is_big(order):\n    if order.total > 100:\n        return True\n    else:\n' +
    '        return False\n\n\nadmin.site.register(Order)\n\nif __name__ == "__main__":\n' +
    '    app.run(port=8080)\n',
  'test_app.py':
    'import pytest\n\n\n@pytest.fixture\ndef shop():\n    made = Shop()\n    return made\n\n\n' +
    '@pytest.mark.slow\ndef test_total(shop):\n    shop.add(1)\n    assert shop.total() == 1\n',
  'app.js':
    "'use strict'\nconst express = require('express')\nconst app = express()\n\napp.use(express.json())\n" +
    "app.use('/static', express.static('public'))\n\n" +
    'const roles = { admin: 3, editor: 2, viewer: 1, guest: 0 }\n\nexport function total (items) {\n' +
    '  let sum = 0\n  for (const item of items) {\n    sum += item.price\n  }\n  return sum\n}\n\n' +
    'export function clean (text) {\n  console.log(text)\n  const words = text.split(/\\s+/)\n' +
    '  const kept = words.filter(word => word.length > 2)\n  return kept.join(" ")\n}\n\n' +
    "process.on('SIGTERM', () => process.exit(0))\napp.listen(3000)\n\nexport default app\n",
  'Cart.java':
    'package shop;\n\nimport java.util.List;\n\n@Entity\n@Table(name = "carts")\npublic class Cart {\n' +
    '  static {\n    Registry.load();\n  }\n\n  @Id\n  private long id;\n\n  @Override\n' +
    '  public String toString() {\n    return "Cart " + id;\n  }\n\n' +
    '  public int sum(List<Integer> prices) {\n    int sum = 0;\n    for (int price : prices) {\n' +
    '      sum += price;\n    }\n    return sum;\n  }\n}\n',
  'Cart.cs':
    'using System;\n\nnamespace Shop;\n\n[Serializable]\npublic class Cart\n{\n' +
    '    public event EventHandler Changed;\n\n    [Obsolete("use Total")]\n    public int Sum()\n    {\n' +
    '        Check();\n        return items.Sum();\n    }\n}\n',
  'main.go':
    '//go:build linux\n\npackage main\n\nimport (\n\t"embed"\n\t"fmt"\n)\n\n//go:embed static/*\n' +
    'var static embed.FS\n\nvar (\n\tlimit = 10\n\tname  = "shop"\n\tdebug = false\n)\n\nfunc init() {\n' +
    '\tregister("shop")\n}\n\nfunc main() {\n\tfmt.Println(limit)\n\tserve(static)\n}\n',
  'lib.rs':
    '#![deny(missing_docs)]\nuse std::fs;\n\n#[derive(Debug, Clone)]\npub struct Cart {\n' +
    '    pub items: Vec<String>,\n}\n\n#[test]\nfn adds() {\n    let cart = Cart::new();\n' +
    '    let more = cart.add("a");\n    assert_eq!(more.items.len(), 1);\n}\n',
  'cart.rb':
    '# frozen_string_literal: true\n\nclass Cart\n  include Enumerable\n  attr_reader :items\n\n' +
    '  def total\n    sum = items.sum\n    sum.round(2)\n  end\n\n  private\n\n  def check(item)\n' +
    "    raise 'no item' if item.nil?\n    log(item)\n  end\nend\n",
  'style.css':
    ':root {\n  --gap: 4px;\n}\n\n.btn {\n  color: red;\n  padding: 2px;\n  margin: 0;\n  border: none;\n' +
    '}\n\n#main {\n  width: 100%;\n}\n',
  'plot.R':
    'library(dplyr)\nlibrary(ggplot2)\n\noptions(digits = 4)\n\nload_data <- function(path) {\n' +
    '  rows <- read.csv(path)\n  rows <- rows[rows$count > 0, ]\n  rows\n}\n\n' +
    'plot_all <- function(rows) {\n  ggplot(rows, aes(x, y)) + geom_point()\n}\n\n' +
    'newest <- function(rows) {\n  rows %>%\n    filter(year > 2000) %>%\n    head(5)\n}\n\n' +
    'plot_all(load_data("a.csv"))\n',
  'util.h': '#ifndef UTIL_H\n#define UTIL_H\n\n#define SIZE 64\n#define MAX(a, b) ((a) > (b) ? (a) : (b))\n\n#endif\n',
  'main.zig':
    'const std = @import("std");\nconst limit: u32 = 10;\n\npub fn add(a: u32, b: u32) u32 {\n' +
    '    const sum = a + b;\n    return sum;\n}\n\npub fn main() void {\n    std.debug.print("{d}\\n' +
    '", .{add(1, limit)});\n}\n',
  'core.clj':
    '(ns shop.core\n  (:require [clojure.string :as str]))\n\n(def limit 10)\n\n(defn total [items]\n' +
    '  (reduce + (map :price items)))\n\n(defn clean [text]\n  (str/trim text))\n\n' +
    '(run-server app {:port 80})\n',
  'shop.ml':
    'open Printf\n\nlet limit = 10\n\nlet total items =\n  let prices = List.map price items in\n' +
    '  List.fold_left (+) 0 prices\n\nlet () =\n  printf "%d" limit\n',
  'config.lua':
    'return {\n  name = "shop",\n  port = 80,\n  hosts = { "a", "b" },\n  debug = false,\n  limit = 10,\n}\n',
  'Token.sol':
    '// SPDX-License-Identifier: MIT\npragma solidity ^0.8.0;\n\ncontract Token {\n' +
    '    uint256 public supply;\n    event Moved(address to, uint256 amount);\n\n' +
    '    function move(address to, uint256 amount) public onlyOwner {\n' +
    '        require(amount > 0, "nothing");\n        balances[to] += amount;\n' +
    '        emit Moved(to, amount);\n    }\n}\n',
  'build.bat': '@echo off\nset NAME=shop\ncall npm ci\ncall npm test\nif errorlevel 1 exit /b 1\ncall npm run build\n',
  'prices.csv': 'name,price\napple,1\npear,2\nplum,3\ncherry,4\n',
  'nginx.conf':
    'server {\n    listen 80;\n    server_name a.example b.example;\n    client_max_body_size 10m;\n' +
    '    location / {\n        proxy_pass http://app;\n        proxy_set_header Host $host;\n    }\n}\n',
  'index.rst':
    'Shop\n====\n\nA shop for small sellers.\n\n.. toctree::\n\n   install\n   usage\n   api\n\n' +
    'It needs a database to run.\n',
  'go.mod':
    'module example.com/shop\n\ngo 1.22\n\nrequire (\n\tgithub.com/a/b v1.0.0\n\tgithub.com/c/d v1.2.0\n' +
    ')\n\nreplace github.com/a/b => ../b\n',
  'requirements.txt': '# web\nflask==2.0\nsklearn==0.0\nnumpy>=1.20\n',
  '.gitignore': 'node_modules/\ndist/\n*.log\n.env\n',
  'pyproject.toml':
    '[project]\nname = "shop"\ndependencies = [\n  "flask>=2",\n  "requests>=2",\n  "numpy",\n]\n\n' +
    '[tool.ruff]\nselect = ["E", "F", "I", "B"]\n',
  'setup.py':
    "from setuptools import setup\n\nsetup(\n    name='shop',\n" +
    "    install_requires=['flask', 'requests', 'numpy'],\n    zip_safe=False,\n)\n",
  'README.md':
    '# Shop\n\nA shop for small sellers.\n\nIt keeps its data in one file, which you can copy.\n\n' +
    '## Usage\n\n1. Install it.\n2. Start it with npm start.\n3. Open the page.\n\n' +
    'Questions go to the list.\n',
  Dockerfile:
    'FROM node:24\nWORKDIR /app\nCOPY package.json .\nCOPY src src\nCOPY public public\nRUN apt-get install -y curl git\nRUN npm ci\n' +
    'RUN npm run build && npm cache verify\nCMD ["node", "src/app.js"]\n',
  'ci.yml':
    'on: push\njobs:\n  test:\n    steps:\n      - uses: actions/checkout@v4\n      - run: npm ci\n' +
    '      - run: npm test\n',
  'schema.ts':
    "import { z } from 'zod'\n\nexport const user = z.object({ name: z.string(), age: z.number() })\n" +
    'export const ranks = { admin: 3, editor: 2 }\nsetUp(user, ranks)\n\n' +
    "export function kinds (given: string[]) {\n  for (const kind of ['a', 'b']) given.push(kind)\n" +
    '  const { first, second } = split(given)\n  audit(given)\n  return join(first, second)\n}\n',
  'one.css': '.btn { color: red; margin-top: 1px; margin-left: 2px; padding: 0; }\n#main { width: 100%; }\n',
  'one.toml': '[project]\nname = "shop"\ndependencies = ["a>=1", "b"]\n',
  'node.yml':
    'jobs:\n  test:\n    strategy:\n      matrix:\n        node: [22, 24]\n    steps:\n      - run: npm test\n',
  'page.html':
    '<html>\n<body>\n  <h1>Shop</h1>\n  <p>Welcome to the shop.</p>\n  <ul>\n    <li>Apples</li>\n' +
    '    <li>Pears</li>\n  </ul>\n  <p>Call us.</p>\n</body>\n</html>\n',
}

const CHECK = / {4}if order is None:[^]*?round\(order\.total, 2\)\n/
const WORDS = / {2}const words[^]*?length > 2\)\n/
/** Comments in place of the body of a function, each in words of its own. */
const REMARKS = [
  'same logic as before',
  'body unchanged',
  'keep as is',
  'your code here',
  'as in original',
  '-- snip --',
  '<unchanged>',
  'see above',
  'code continues as before',
  'comme avant',
  'wie gehabt',
  '与之前相同',
  '.. rest ..',
  '⋮',
  'etc',
  'validation',
  'TODO: implement',
]

/** Blocks that lose something nobody asked to lose. */
export const LOSSY: readonly Rewrite[] = [
  ...REMARKS.map((words): Rewrite => ['app.py', words, CHECK, `    # ${words}\n`]),
  ...['handler code here', 'other words', 'etc.'].map((words): Rewrite => ['app.js', words, WORDS, `  // ${words}\n`]),
  [
    'app.py',
    'a remark beside a new line',
    CHECK,
    '    # validate as before\n    order.total = round(order.total, 3)\n',
  ],
  ['app.py', 'a stub', CHECK, '    pass\n'],
  ['app.py', 'half of a function', / {4}if order is None:[^]*?"empty"\)\n/, ''],
  ['app.py', 'a statement', '    order.total = round(order.total, 2)\n', ''],
  [
    'app.py',
    'a statement beside a change of the same function',
    /"no order"([^]*?) {4}order\.total = round.*\n/,
    '"none"$1',
  ],
  ['app.py', 'the main guard', /\nif __name__[^]*/, ''],
  ['app.py', 'a setting', 'sys.setrecursionlimit(5000)\n', ''],
  ['app.py', 'a registration', 'admin.site.register(Order)\n\n', ''],
  ['app.py', 'a decorator', '@app.route("/items")\n', ''],
  ['app.py', 'the second decorator', '@cached\n', ''],
  ['app.py', 'the licence', /^"""[^]*?"""\n/, ''],
  ['app.py', 'entries of a dict', /"free": 10,\n[^]*?(?= {4}"max")/, ''],
  ['app.py', 'entries of a dict, now in one line', /LIMITS = \{[^]*?\n\}/, 'LIMITS = {"free": 10}'],
  ['app.py', 'entries of a list', '"a.example", "b.example", "c.example"', '"a.example"'],
  ['app.py', 'a constant', /HOSTS = .*\n/, ''],
  ['test_app.py', 'a fixture', '@pytest.fixture\n', ''],
  ['test_app.py', 'a mark', '@pytest.mark.slow\n', ''],
  ['Token.sol', 'a third of a function', '        balances[to] += amount;\n', ''],
  ['app.py', 'one host for three', '"a.example", "b.example", "c.example"', '"shop.example"'],
  ['cart.rb', 'half of a method', '    sum = items.sum\n', ''],
  ['schema.ts', 'one entry of two', ', editor: 2', ''],
  ['schema.ts', 'a field of a schema', ', age: z.number()', ''],
  ['schema.ts', 'an argument outside of functions', 'setUp(user, ranks)', 'setUp(user)'],
  ['schema.ts', 'an entry of a list in a function', "'a', 'b'", "'a'"],
  ['app.js', 'the server', 'app.listen(3000)\n', ''],
  ['app.js', 'the export', '\nexport default app\n', ''],
  ['app.js', 'a listener', /process\.on.*\n/, ''],
  ['app.js', 'middleware', 'app.use(express.json())\n', ''],
  ['app.js', 'entries of an object', 'editor: 2, viewer: 1, guest: 0 ', ''],
  ['schema.ts', 'a call next to a change', /audit\(given\)\n(.*)first, second/, '$1second, first'],
  ['schema.ts', 'a call beside a change of the same function', /kind\)\n([^]*?) {2}audit.*\n/, 'kind.trim())\n$1'],
  ['Cart.java', 'a static block', / {2}static \{[^]*?\n {2}\}\n\n/, ''],
  ['Cart.java', 'an annotation', '@Entity\n', ''],
  ['Cart.java', 'an annotation of a field', '  @Id\n', ''],
  ['Cart.cs', 'an event', /.*EventHandler.*\n\n/, ''],
  ['Cart.cs', 'an attribute', '[Serializable]\n', ''],
  ['main.go', 'a build tag', '//go:build linux\n\n', ''],
  ['main.go', 'an embedded folder', '//go:embed static/*\n', ''],
  ['main.go', 'one name of several', '\tdebug = false\n', ''],
  ['lib.rs', 'a derive', '#[derive(Debug, Clone)]\n', ''],
  ['lib.rs', 'a test mark', '#[test]\n', ''],
  ['lib.rs', 'todo!()', / {4}let cart[^]*?, 1\);\n/, '    todo!()\n'],
  ['cart.rb', 'private', '  private\n\n', ''],
  ['cart.rb', 'a mixin', '  include Enumerable\n', ''],
  ['cart.rb', 'a magic comment', '# frozen_string_literal: true\n\n', ''],
  ['one.css', 'a declaration of a rule in one line', ' padding: 0;', ''],
  ['style.css', 'half of a rule', '  padding: 2px;\n  margin: 0;\n  border: none;\n', ''],
  ['style.css', 'a remark in a rule', '  padding: 2px;\n  margin: 0;\n  border: none;\n', '  /* other properties */\n'],
  ['style.css', 'a renamed rule', '.btn {', '.button {'],
  ['plot.R', 'a function', /load_data <-[^]*?\n\}\n\n/, ''],
  ['plot.R', 'a library', 'library(dplyr)\n', ''],
  ['plot.R', 'the call', /plot_all\(load.*\n/, ''],
  ['plot.R', 'a link of a chain', '    filter(year > 2000) %>%\n', ''],
  ['util.h', 'a macro with arguments', /#define MAX.*/, '#define CLAMP(v, a, b) ((v) < (a) ? (a) : (v))'],
  ['main.zig', 'a constant', /const limit.*\n/, ''],
  ['main.zig', 'a function', /pub fn add[^]*?\n\}\n\n/, ''],
  ['core.clj', 'a definition', '(def limit 10)\n\n', ''],
  ['core.clj', 'the server', /\(run-server.*\n/, ''],
  ['shop.ml', 'a value', 'let limit = 10\n\n', ''],
  ['shop.ml', 'the main', /let \(\) =[^]*/, ''],
  ['config.lua', 'keys of a table', / {2}hosts[^]*?10,\n/, ''],
  ['config.lua', 'one key', '  debug = false,\n', ''],
  ['Token.sol', 'an event', /.*event Moved.*\n/, ''],
  ['Token.sol', 'the licence', /.*SPDX.*\n/, ''],
  ['build.bat', 'a step', 'call npm test\n', ''],
  ['prices.csv', 'two rows', 'plum,3\ncherry,4\n', ''],
  ['nginx.conf', 'a header', /.*set_header.*\n/, ''],
  ['nginx.conf', 'a setting', /.*max_body.*\n/, ''],
  ['index.rst', 'a page', '   usage\n', ''],
  ['index.rst', 'a paragraph', /\nIt needs.*\n/, ''],
  ['go.mod', 'a module', /.*c\/d.*\n/, ''],
  ['go.mod', 'a replacement', /\nreplace.*\n/, ''],
  ['requirements.txt', 'a package', 'numpy>=1.20\n', ''],
  ['requirements.txt', 'a renamed package', 'sklearn==0.0', 'scikit-learn==1.0'],
  ['.gitignore', 'a rule', '*.log\n', ''],
  ['pyproject.toml', 'dependencies', '  "requests>=2",\n  "numpy",\n', ''],
  ['one.toml', 'one of two', ', "b"', ''],
  ['pyproject.toml', 'rules in one line', ', "F", "I", "B"', ''],
  ['setup.py', 'dependencies', ", 'requests', 'numpy'", ''],
  ['setup.py', 'an argument', '    zip_safe=False,\n', ''],
  ['README.md', 'a paragraph', /\nIt keeps.*\n/, ''],
  ['README.md', 'a step', /2\. Start.*\n/, ''],
  ['README.md', 'dots', /\nIt keeps.*\n/, '\n...\n'],
  ['Dockerfile', 'a copy', 'COPY public public\n', ''],
  ['Dockerfile', 'a command', 'RUN npm ci\n', ''],
  ['nginx.conf', 'a name of several', 'a.example b.example', 'a.example'],
  ['Dockerfile', 'a package', ' curl git', ' curl'],
  ['Dockerfile', 'a package, over two lines', ' curl git', ' \\\n    curl'],
  ['Dockerfile', 'a command of several', ' && npm cache verify', ''],
  ['node.yml', 'a version of a list', '[22, 24]', '[24]'],
  ['ci.yml', 'a step', '      - run: npm test\n', ''],
  ['page.html', 'a paragraph', /.*Call us.*\n/, ''],
  ['page.html', 'entries', /.*Pears.*\n/, '    <!-- other entries -->\n'],
]

/** Blocks that change a file and lose nothing, or what they were asked to. */
export const HONEST: readonly Rewrite[] = [
  ['app.py', 'a simpler condition', /if order\.total > 100:[^]*?return False\n/, 'return order.total > 100\n'],
  [
    'app.py',
    'a loop as one expression',
    / {4}found = \[\][^]*?json\.dumps\(found\)\n/,
    '    return json.dumps([row["name"] for row in rows if row["count"] > 0])\n',
  ],
  ['app.py', 'without a debug line', '    print("debug", rows)\n', ''],
  ['app.py', 'without a docstring', '    """All items."""\n', ''],
  ['app.py', 'another decorator', '@app.route("/items")', '@app.get("/items")'],
  ['app.py', 'another value', '"pro": 100', '"pro": 200'],
  [
    'app.py',
    'a dict in one line',
    /LIMITS = \{[^]*?\n\}/,
    'LIMITS = {"free": 10, "pro": 100, "team": 500, "max": 1000}',
  ],
  ['app.py', 'a list in lines', /HOSTS = .*/, 'HOSTS = [\n    "a.example",\n    "b.example",\n    "c.example",\n]'],
  ['app.py', 'another entry', '"c.example"', '"d.example"'],
  ['app.py', 'a check more', 'def check(order):\n', 'def check(order):\n    if order is False:\n        return None\n'],
  [
    'app.py',
    'checks as a loop',
    CHECK,
    '    for is_wrong, why in problems_of(order):\n        if is_wrong:\n            raise ValueError(why)\n',
  ],
  ['app.py', 'a comment for the code below', '    rows = load', '    # newest first\n    rows = load'],
  ['app.py', 'another port', 'app.run(port=8080)', 'app.run(port=8081, debug=True)'],
  [
    'app.py',
    'a main function',
    /if __name__[^]*/,
    'def main():\n    app.run(port=8080)\n\n\nif __name__ == "__main__":\n    main()\n',
  ],
  [
    'app.py',
    'a removal that was asked for',
    'sys.setrecursionlimit(5000)\n',
    '',
    'Remove `sys.setrecursionlimit(5000)`.',
  ],
  [
    'app.py',
    'black',
    / {4}if order\.total < 0:\n {8}raise ValueError\("negative"\)/,
    '    if (\n        order.total < 0\n    ):\n        raise ValueError(\n            "negative"\n        )',
  ],
  ['test_app.py', 'a fixture with a scope', '@pytest.fixture', "@pytest.fixture(scope='module')"],
  ['test_app.py', 'a returned value', '    made = Shop()\n    return made\n', '    return Shop()\n'],
  ['app.js', 'reduce', / {2}let sum[^]*?return sum\n/, '  return items.reduce((sum, item) => sum + item.price, 0)\n'],
  [
    'app.js',
    'reduce with a remark',
    / {2}let sum[^]*?return sum\n/,
    '  // one pass\n  return items.reduce((sum, item) => sum + item.price, 0)\n',
  ],
  ['app.js', 'without a log', '  console.log(text)\n', ''],
  ['app.js', 'another port', 'app.listen(3000)', "app.listen(process.env.PORT ?? 3000, '0.0.0.0')"],
  ['app.js', 'a statement in another place', /^([^]*?)(app\.use\(express\.json[^]*?)(process\.on.*\n)/, '$1$3$2'],
  ['app.js', 'double quotes', /'/g, '"'],
  ['app.js', 'another role', 'guest: 0', 'guest: 0, bot: -1'],
  [
    'app.js',
    'a chain',
    / {2}const words[^]*?return kept\.join\(" "\)\n/,
    '  return text.split(/\\s+/).filter(word => word.length > 2).join(" ")\n',
  ],
  [
    'Cart.java',
    'a stream',
    / {4}int sum = 0;[^]*?return sum;\n/,
    '    return prices.stream().mapToInt(price -> price).sum();\n',
  ],
  ['Cart.java', 'another table', '"carts"', '"basket"'],
  [
    'Cart.cs',
    'a guard less',
    '        Check();\n        return items.Sum();',
    '        return items.Where(Check).Sum();',
  ],
  ['main.go', 'another tag', 'linux', 'darwin'],
  ['main.go', 'a log less', '\tfmt.Println(limit)\n', '\tfmt.Fprintln(os.Stderr, limit)\n'],
  ['lib.rs', 'another derive', 'Debug, Clone', 'Debug, Clone, Default'],
  ['lib.rs', 'a shorter test', / {4}let cart[^]*?, 1\);\n/, '    assert_eq!(Cart::new().add("a").items.len(), 1);\n'],
  ['cart.rb', 'a shorter method', '    sum = items.sum\n    sum.round(2)\n', '    items.sum.round(2)\n'],
  ['style.css', 'another color', 'color: red', 'color: blue'],
  ['style.css', 'a shorthand', '  margin: 0;\n  border: none;\n', '  margin: 0 auto;\n  border: 0;\n'],
  [
    'plot.R',
    'a pipe',
    '  rows <- read.csv(path)\n  rows <- rows[rows$count > 0, ]\n  rows\n',
    '  read.csv(path) |> filter(count > 0)\n',
  ],
  ['main.zig', 'one line', '    const sum = a + b;\n    return sum;\n', '    return a + b;\n'],
  ['core.clj', 'another port', ':port 80', ':port 8080'],
  ['config.lua', 'another limit', 'limit = 10', 'limit = 20'],
  ['Token.sol', 'another check', 'require(amount > 0, "nothing");', 'if (amount == 0) revert Nothing();'],
  ['build.bat', 'another name', 'NAME=shop', 'NAME=store'],
  ['prices.csv', 'other prices', 'apple,1\npear,2\n', 'apple,3\npear,4\n'],
  ['nginx.conf', 'another size', '10m', '20m'],
  ['index.rst', 'other words', 'A shop for small sellers.', 'A small shop for everybody who sells.'],
  ['go.mod', 'other versions', 'v1.0.0', 'v1.1.0'],
  ['requirements.txt', 'another version', 'flask==2.0', 'flask==3.0'],
  ['requirements.txt', 'a package that was asked to go', 'sklearn==0.0\n', '', 'Remove `sklearn`.'],
  ['pyproject.toml', 'another dependency', '  "numpy",\n', '  "numpy",\n  "scipy",\n'],
  [
    'README.md',
    'other words',
    'It keeps its data in one file, which you can copy.',
    'All data stands in one file that can be copied.',
  ],
  ['README.md', 'a broken line', 'in one file, which', 'in one file,\nwhich'],
  ['Dockerfile', 'one layer', 'RUN npm ci\nRUN npm run build &&', 'RUN npm ci && npm run build &&'],
  ['Dockerfile', 'another image', 'node:24', 'node:24-slim'],
  ['ci.yml', 'other versions', 'checkout@v4', 'checkout@v5'],
  ['schema.ts', 'another entry', 'editor: 2', 'author: 2'],
  ['schema.ts', 'another value', 'z.number()', 'z.number().int()'],
  ['schema.ts', 'entries in lines', '{ admin: 3, editor: 2 }', '{\n  admin: 3,\n  editor: 2,\n}'],
  ['schema.ts', 'an object that holds another', '{ admin: 3, editor: 2 }', '{ ...BASE, editor: 2 }'],
  ['schema.ts', 'another argument', 'setUp(user, ranks)', 'setUp(user, { ranks })'],
  ['schema.ts', 'an argument less in a function', 'join(first, second)', 'join(first)'],
  ['schema.ts', 'a name less of what is taken apart', '{ first, second } =', '{ first } ='],
  ['schema.ts', 'an entry that was asked to go', ', editor: 2', '', 'Remove the `editor` entry.'],
  [
    'schema.ts',
    'a parameter that was asked to go',
    'setUp(user, ranks)',
    'setUp(user)',
    'Remove the `ranks` argument.',
  ],
  ['one.css', 'a shorthand', 'margin-top: 1px; margin-left: 2px', 'margin: 1px 2px'],
  ['one.css', 'a rule in lines', ' color: red; margin-top', '\n  color: red;\n  margin-top'],
  ['one.toml', 'another version', '"b"', '"b>=2"'],
  ['one.toml', 'a list in lines', '["a>=1", "b"]', '[\n  "a>=1",\n  "b",\n]'],
  ['Dockerfile', 'an option', 'install -y curl', 'install curl'],
  ['node.yml', 'other versions', '[22, 24]', '[24, 26]'],
  ['page.html', 'another heading', '<h1>Shop</h1>', '<h1>The shop</h1>'],
]
