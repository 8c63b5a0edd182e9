import { test } from 'tap'
import { beginsWithDocument, readShell } from '../../../src/edits/read/shell-block.ts'

test('here-documents are files and diffs, other changes are left', async t => {
  t.same(readShell(["cat > 'a b.txt' <<\\E", '$x', 'E', 'git apply <<"E"', '--- a', 'E', 'rm x.py', 'ls']), {
    files: [{ path: 'a b.txt', content: '$x\n', isAppended: false }],
    patches: [['--- a']],
    left: ['rm x.py'],
  })
  t.same(readShell(['# sed -i x a', 'ls > /tmp/x', 'echo "a > b"', "cat > ~/x <<'E'", 'y', 'E']), {
    files: [],
    patches: [],
    left: [],
  })
  t.same(readShell(['# build it; rm main.py && mv a.py b.py', 'ls; # rm main.py']).left, [], 'comments')
  t.same(readShell(['ls; sudo rm main.py', '$ cd x && mv a.py b.py']).left, [
    'ls; sudo rm main.py',
    'cd x && mv a.py b.py',
  ])
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
    t.same(readShell([command, 'y', 'E']), { files: [], patches: [], left: [command, 'y', 'E'] }, command)
  }
  const written = { files: [{ path: 'a.txt', content: 'y\n', isAppended: true }], patches: [], left: [] }
  for (const command of ["cat - >> a.txt <<'E'", "mkdir -p b && cat >> a.txt <<'E'", "cat <<'E' >> a.txt"]) {
    t.same(readShell([command, 'y', 'E']), written, command)
  }
})

test('a block begins with a document behind comments and folders', async t => {
  t.ok(beginsWithDocument(['# make it', 'mkdir -p a', "$ cat > a/x <<'E'"]))
  t.notOk(beginsWithDocument(['ls', "cat > a/x <<'E'"]))
  t.notOk(beginsWithDocument(["psql <<'E'"]))
})
