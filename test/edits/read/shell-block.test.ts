import { test } from 'tap'
import { beginsWithDocument, readShell } from '../../../src/edits/read/shell-block.ts'

test('here-documents are files and diffs, other changes are left', async t => {
  t.same(readShell(["cat > 'a b.txt' <<\\E", '$x', 'E', 'git apply <<"E"', '--- a', 'E', 'rm x.py', 'ls']), {
    files: [{ path: 'a b.txt', content: '$x\n', isAppended: false }],
    patches: [['--- a']],
    left: [],
    deletions: [{ path: 'x.py', text: 'rm x.py' }],
  })
  t.same(readShell(['# sed -i x a', 'ls > /tmp/x', 'echo "a > b"', "cat > ~/x <<'E'", 'y', 'E']), {
    files: [],
    patches: [],
    left: [],
    deletions: [],
  })
  t.same(readShell(['# build it; rm main.py && mv a.py b.py', 'ls; # rm main.py']).left, [], 'comments')
  t.same(readShell(['ls; sudo rm -rf lib', '$ cd x && mv a.py b.py', 'rm c.py']).left, [
    'ls; sudo rm -rf lib',
    'cd x && mv a.py b.py',
    'rm c.py',
  ])
  t.same(readShell(['mv /tmp/a.py ~/b.py', 'mv a.py /tmp/b.py', 'mv a.py']).left, [], 'what moves no file within it')
  const line = `git rm -f a.py "b.py" && rm /etc/x`
  t.same(
    readShell([line, 'git rm --cached d.py', 'rm "e f.py"', 'rm app.log']),
    {
      files: [],
      patches: [],
      left: ['rm "e f.py"'],
      deletions: [
        { path: 'a.py', text: line },
        { path: 'b.py', text: line },
      ],
    },
    'files that are taken away one by one',
  )
  t.same(readShell(["cat > x <<'E'", 'y']).left, ["cat > x <<'E'", 'y'])
})

test('what a pipe changes, other files join or a condition guards is not written as it stands', async t => {
  for (const command of [
    "cat <<'E' | sed 's/y/z/' >> a.txt",
    "cat <<'E' | envsubst > a.txt",
    "cat - b.txt >> a.txt <<'E'",
    "grep -q y a.txt || cat >> a.txt <<'E'",
    "if [ -e b ]; then cat > a.txt <<'E'",
  ]) {
    t.same(
      readShell([command, 'y', 'E']),
      { files: [], patches: [], left: [command, 'y', 'E'], deletions: [] },
      command,
    )
  }
  const written = { files: [{ path: 'a.txt', content: 'y\n', isAppended: true }], patches: [], left: [], deletions: [] }
  for (const command of ["cat - >> a.txt <<'E'", "mkdir -p b && cat >> a.txt <<'E'", "cat <<'E' >> a.txt"]) {
    t.same(readShell([command, 'y', 'E']), written, command)
  }
})

test('a block begins with a document behind comments and folders', async t => {
  t.ok(beginsWithDocument(['# make it', 'mkdir -p a', "$ cat > a/x <<'E'"]))
  t.notOk(beginsWithDocument(['ls', "cat > a/x <<'E'"]))
  t.notOk(beginsWithDocument(["psql <<'E'"]))
})
