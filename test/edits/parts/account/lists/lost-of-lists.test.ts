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
