// A process for local-copy.test.ts: removes an index and puts it together again for ever, and prints a line before and
// after each.
import { dropIndex } from '../../src/vecstore/local-copy.ts'
import { assembleGeneration } from '../../src/vecstore/transport/assemble-generation.ts'
import { describeGeneration } from '../../src/vecstore/transport/describe-generation.ts'

const [root = '', source = ''] = process.argv.slice(2)
const described = await describeGeneration(source, 1)
for (;;) {
  await assembleGeneration(`${root}/shop`, described.description, ({ sha256 }) => described.readPiece(sha256))
  process.stdout.write('whole\n')
  await dropIndex(root, 'shop')
  process.stdout.write('gone\n')
}
