import { test } from 'tap'
import { applyPart, block } from '../../../../helpers/part-cases.ts'

/** A file, a text of it, and what stands there in the block. */
type Change = readonly [path: string, from: string, to: string, request?: string]

const FILES: Readonly<Record<string, string>> = {
  'app.css':
    '.card {\n  font-family: "Inter", Arial, sans-serif;\n  color: red;\n  transition:\n    color 1s,\n' +
    '    width 2s ease,\n    height 3s;\n}\n',
  'app.properties':
    '# what runs\nspring.profiles.active=dev,local,metrics\nmodules=core,\\\n  web,\\\n  batch\n' +
    'title=A shop for the sellers of books\n',
  'setup.cfg': '[flake8]\nignore = E203, W503, E501\n\n[tool]\nfiles =\n    a.py\n    b.py\n    c.py\n',
  'compose.yml': 'services:\n  web:\n    image: shop\n    environment:\n      HOSTS: a.example,b.example,c.example\n',
  Makefile: 'SRCS = main.c util.c net.c\nCFLAGS = -Wall -O2\n\n.PHONY: all clean lint\n\nall:\n\ttrue\n',
  Dockerfile: 'FROM node:24\nENV A=1 B=2 C=3\nCMD ["node"]\n',
  'setup.sh':
    '#!/bin/bash\nPACKAGES="curl git jq make"\nSERVICES=(web api worker)\n' +
    'export PATH="$HOME/bin:/opt/bin:$PATH"\nUSAGE="call it with the name of a file"\nCMD="npm run build && npm test"\n' +
    'install $PACKAGES\n',
  'page.html':
    '<html>\n<body>\n<form id="f" method="post" enctype="multipart/form-data">\n' +
    '<input name="qty" type="number" min="1" max="9" required>\n</form>\n<p class="a b">Hi</p>\n</body>\n</html>\n',
  'Card.vue':
    '<template>\n  <div class="card" :class="{ on }" @click="go" v-if="shown">Hi</div>\n</template>\n\n' +
    '<script setup>\nconst on = true\n</script>\n',
  'Field.jsx':
    'export function Field({ value, save }) {\n  return (\n    <label>\n      <input\n        value={value}\n' +
    '        onBlur={() => save(value)}\n        aria-label="Name"\n        required\n      />\n' +
    '      <Button size="lg" onClick={save} disabled={!value}>Save</Button>\n    </label>\n  )\n}\n',
  'plot.R':
    'show <- function(rows) {\n  rows %>%\n    filter(count > 0) %>%\n    ggplot(aes(x, y)) +\n    geom_col() +\n' +
    '    theme_minimal() +\n    labs(title = "Sales")\n}\n',
  'config.ts':
    "import { z } from 'zod'\n\nexport const Config = z.object({\n  host: z.string().min(1).default('local'),\n" +
    '  port: z\n    .number()\n    .int()\n    .max(9),\n})\n',
  'orders.sql':
    'CREATE TABLE orders (\n  id BIGINT PRIMARY KEY,\n  total NUMERIC(10,2) NOT NULL DEFAULT 0 CHECK (total >= 0)\n);\n\n' +
    'SELECT o.id, u.name, o.total\nFROM orders o\nWHERE o.total > 0;\n',
  'Links.cs':
    'class Links\n{\n    object All()\n    {\n        return rows\n            .Where(c => c.IsOpen\n' +
    '                || c.IsNew)\n            .Pick(b as IList<Guid> ?? b.ToList(), c => c.Id)\n            .First();\n' +
    '    }\n}\n',
  'Kind.kt':
    'fun kind(e: Event) = when (e) {\n  is Added -> add(e)\n  is Removed -> remove(e)\n  is Moved -> move(e)\n' +
    '  else -> ignore(e)\n}\n',
  'kind.ts':
    'export function kind(x: string) {\n  switch (x) {\n' +
    "    case 'a':\n      return 1\n    case 'b':\n      return 2\n    case 'c':\n      return 3\n  }\n}\n",
  'kind.rs':
    'fn kind(e: &Event) -> u8 {\n    match e {\n        Event::Added(x) if x.big => 1,\n' +
    '        Event::Added(_) => 2,\n        _ => 0,\n    }\n}\n',
  'store.ts': 'export class Store {\n  constructor(private readonly dir: string, private readonly ttl = 60) {}\n}\n',
  'Order.php':
    '<?php\nclass Order\n{\n    public function __construct(\n        private Repo $repo,\n' +
    '        private Mailer $mailer,\n        private Logger $log,\n    ) {\n    }\n}\n',
  'item.go': 'package shop\n\ntype Item struct {\n\tID int `json:"id" db:"id" validate:"required"`\n\tName string\n}\n',
  'app.rs':
    'fn app() -> Router {\n    Router::new()\n        .route("/", get(index))\n        .layer(Trace::new())\n' +
    '        .layer(Cors::new())\n        .with_state(state)\n}\n',
  'run.sh':
    '#!/bin/sh\nfor s in web api worker; do\n  start "$s"\ndone\ncase "$1" in\n  start) start ;;\n' +
    '  stop) stop ;;\n  status) status ;;\nesac\n',
  'Service.kt':
    'class Service(private val repo: Repo) {\n  fun all() = repo.find().filter { it.isOpen }.sortedBy { it.name }\n}\n',
}

const LOSSY: readonly Change[] = [
  ['app.css', '"Inter", Arial, sans-serif', '"Roboto", sans-serif'],
  ['app.css', '    color 1s,\n    width 2s ease,\n', '    all 0.2s cubic-bezier(0.4, 0, 0.2, 1),\n'],
  ['app.properties', 'dev,local,metrics', 'prod,metrics'],
  ['app.properties', '  web,\\\n  batch', '  site-of-the-shop'],
  ['setup.cfg', 'E203, W503, E501', 'E203, E231'],
  ['setup.cfg', '    b.py\n    c.py\n', '    the/new/folder/of/all/d.py\n'],
  ['compose.yml', 'a.example,b.example,c.example', 'a.example,d.example'],
  ['Makefile', 'util.c net.c', 'io.c'],
  ['Makefile', 'all clean lint', 'all check'],
  ['Dockerfile', 'A=1 B=2 C=3', 'A=1 D=4'],
  ['setup.sh', 'git jq make', 'git ripgrep'],
  ['setup.sh', 'git jq make', 'git'],
  ['setup.sh', '(web api worker)', '(web jobs)'],
  ['setup.sh', '$HOME/bin:/opt/bin:', '$HOME/.local/bin:'],
  ['page.html', ' method="post" enctype="multipart/form-data"', ' action="/buy"'],
  ['page.html', ' min="1" max="9" required', ' class="qty"'],
  ['Card.vue', 'class="card" :class="{ on }" @click="go" v-if="shown"', 'class="card wide" @click="go"'],
  ['Field.jsx', '        aria-label="Name"\n        required\n', '        className="input"\n'],
  ['Field.jsx', 'size="lg" onClick={save} disabled={!value}', 'size="xl" onClick={save}'],
  ['plot.R', 'theme_minimal() +\n    labs(title = "Sales")', 'theme_bw()'],
  ['config.ts', ".min(1).default('local')", ".default('0.0.0.0')"],
  ['config.ts', '    .int()\n    .max(9),', '    .positive(),'],
  ['Service.kt', '.filter { it.isOpen }.sortedBy { it.name }', '.filter { it.isNew }'],
  ['orders.sql', '(10,2) NOT NULL DEFAULT 0 CHECK (total >= 0)', '(12,2) NOT NULL'],
  ['orders.sql', 'u.name, o.total', 'u.email'],
  ['Kind.kt', '  is Moved -> move(e)\n  else -> ignore(e)', '  else -> log.warn("left")'],
  ['kind.ts', "      return 2\n    case 'c':\n      return 3\n", '      return 20\n'],
  ['kind.rs', 'Event::Added(x) if x.big => 1,\n        Event::Added(_) => 2', 'Event::Added(_) => 5'],
  ['store.ts', 'dir: string, private readonly ttl = 60', 'dir: URL'],
  ['Order.php', 'Mailer $mailer,\n        private Logger $log', 'LoggerInterface $logger'],
  ['item.go', 'json:"id" db:"id" validate:"required"', 'json:"ID"'],
  ['app.rs', '        .layer(Trace::new())\n        .layer(Cors::new())\n', '        .layer(Compression::new())\n'],
  ['run.sh', 'web api worker', 'web jobs'],
  ['run.sh', '  stop) stop ;;\n  status) status ;;\n', '  stop) stop_all ;;\n'],
]

const HONEST: readonly Change[] = [
  ['app.css', 'Arial, sans-serif', 'var(--font)'],
  ['app.css', '"Inter", Arial', '"Roboto", Helvetica'],
  ['app.css', '    color 1s,\n', '    color 2s,\n'],
  ['app.properties', 'A shop for the sellers of books', 'A book shop'],
  ['app.properties', 'dev,local', 'prod,cloud'],
  ['setup.cfg', 'E203, W503, E501', 'E203, W503, E501, E231'],
  ['compose.yml', 'a.example,b.example', 'b.example,a.example'],
  ['Makefile', 'util.c net.c', '$(wildcard net/*.c)'],
  ['Makefile', '-Wall -O2', '-O3'],
  ['Dockerfile', 'B=2', 'B=3'],
  ['setup.sh', 'call it with the name of a file', 'call it with a file name'],
  ['setup.sh', 'npm run build && npm test', 'npm test'],
  ['setup.sh', 'curl git jq make', '$BASE jq'],
  ['setup.sh', 'curl git', 'wget git'],
  ['page.html', ' min="1" max="9" required', ' max="9" required', 'Remove the `min` attribute.'],
  ['page.html', 'class="a b"', 'class="a"'],
  ['page.html', '<input name', '<input\n  name'],
  ['Card.vue', '@click="go"', 'v-on:click.prevent="go"'],
  ['Field.jsx', 'size="lg" onClick={save} disabled={!value}', '{...props}'],
  ['Field.jsx', '<Button size="lg" onClick={save} disabled={!value}>Save</Button>', '<Save run={save} />'],
  ['plot.R', 'theme_minimal()', 'theme_bw()'],
  ['config.ts', '.min(1)', '.min(2)'],
  ['Service.kt', '.filter { it.isOpen }', '.filter { it.isNew }'],
  ['orders.sql', 'DEFAULT 0', 'DEFAULT 1'],
  ['orders.sql', 'u.name, o.total', 'u.email, o.total'],
  ['Links.cs', 'b as IList<Guid> ?? b.ToList(), c => c.Id', 'b, c => c.Id'],
  ['Kind.kt', 'is Moved -> move(e)', 'is Renamed -> rename(e)'],
  ['kind.ts', "    case 'c':\n      return 3\n", "    case 'd':\n      return 4\n"],
  ['store.ts', 'private readonly ttl = 60', 'private readonly seconds: number'],
  ['Order.php', 'private Mailer $mailer', 'private readonly MailerInterface $mailer'],
  ['item.go', ' validate:"required"', ' binding:"required"'],
  ['app.rs', '.layer(Cors::new())', '.layer(Cors::permissive())'],
  ['run.sh', 'web api worker', '$SERVICES'],
]

const applied = ([path, from, to, request = '']: Change) => {
  const before = FILES[path] ?? ''
  const body = before.replace(from, () => to)
  const { files, rejected } = applyPart({ [path]: before }, block(path, body), request)
  return { before, body, told: rejected.join('\n'), after: files[path] }
}

test('a list without brackets that gets shorter is not written without a word', async t => {
  for (const change of LOSSY) {
    const { before, body, told, after } = applied(change)
    const name = `${change[0]}: ${JSON.stringify(change[2])}`
    t.not(body, before, `${name}: the case is one`)
    t.not(told, '', name)
    t.equal(after, before, `${name}: nothing changes`)
  }
})

test('what stands in the place of an item of a list without brackets passes', async t => {
  for (const change of HONEST) {
    const { before, body, told, after } = applied(change)
    const name = `${change[0]}: ${JSON.stringify(change[2])}`
    t.not(body, before, `${name}: the case is one`)
    t.equal(told, '', name)
    t.equal(after, body, name)
  }
})

test('what a list without brackets has lost is named, and may go when the reply says so', async t => {
  const body = (FILES['setup.sh'] ?? '').replace('git jq make', 'git ripgrep')
  const send = (remark: string) =>
    applyPart({ 'setup.sh': FILES['setup.sh'] ?? '' }, `${block('setup.sh', body)}\n${remark}\n`)
  t.match(send('').rejected.join(''), /jq and make of "PACKAGES=/)
  t.equal(send('REMOVED setup.sh: jq\nREMOVED setup.sh: make').files['setup.sh'], body)
})
