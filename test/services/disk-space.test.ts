import { test } from 'tap'
import { createDiskSpace } from '../../src/services/disk-space.ts'

const MIB = 1_048_576
const FOLDERS = { dataDir: '/d', vectorStoreDir: '/v', clonedReposDir: '/c', workspacesDir: '/w' }

function diskWith(free: Record<string, number>, reserveMb = 512) {
  const freeBytes = async (folder: string): Promise<number> => {
    const mib = free[folder]
    if (mib === undefined) throw new Error('no such disk')
    return mib * MIB
  }
  return createDiskSpace({ ...FOLDERS, diskReserveBytes: reserveMb * MIB }, { freeBytes })
}

test('the disk with the least room counts, to the byte', async t => {
  const roomy = { '/d': 1_024, '/v': 9_999, '/c': 9_999, '/w': 9_999 }
  t.equal(await diskWith(roomy).state(), 'ok')
  t.equal(await diskWith({ ...roomy, '/w': 1_024 - 1 / MIB }).state(), 'low')
  t.equal(await diskWith({ ...roomy, '/w': 512 }).state(), 'low')
  t.equal(await diskWith({ ...roomy, '/w': 512 }).refusal(), null)
  const full = diskWith({ ...roomy, '/c': 512 - 1 / MIB })
  t.equal(await full.state(), 'full')
  t.match(await full.refusal(), {
    code: 'DISK_FULL',
    message: 'Only 511 MiB are free on the disk that holds CLONED_REPOS_DIR; new work begins with 512 MiB or more.',
    fix: /DISK_RESERVE_MB/,
  })
})

test('a call of a model needs less than new work', async t => {
  await t.resolves(diskWith({ '/d': 32 }).requireForReply())
  await t.rejects(diskWith({ '/d': 32 - 1 / MIB }).requireForReply(), { code: 'DISK_FULL', message: /32 MiB or more/ })
  await t.resolves(diskWith({ '/d': 4 }, 4).requireForReply(), 'never more than new work')
  await t.rejects(diskWith({ '/d': 3 }, 4).requireForReply(), { code: 'DISK_FULL' })
})

test('a disk that cannot be looked at refuses nothing', async t => {
  t.equal(await diskWith({}).state(), 'ok')
  t.equal(await diskWith({}).refusal(), null)
})

test('by default the file system is asked', async t => {
  const here = t.testdir()
  const folders = { dataDir: here, vectorStoreDir: here, clonedReposDir: here, workspacesDir: here }
  t.equal(await createDiskSpace({ ...folders, diskReserveBytes: 2 ** 60 }).state(), 'full')
  t.equal(await createDiskSpace({ ...folders, diskReserveBytes: 1 }).state(), 'ok')
})

test('what can be fetched again goes before work is refused', async t => {
  let free = 100
  let gone = 500
  const asked: number[] = []
  const disk = createDiskSpace(
    { ...FOLDERS, diskReserveBytes: 512 * MIB },
    {
      freeBytes: async () => free * MIB,
      async makeRoom(bytes) {
        asked.push(bytes / MIB)
        const went = gone
        free += went
        gone = 0
        return went * MIB
      },
    },
  )
  t.equal(await disk.state(), 'full')
  t.same(asked, [], 'a look changes nothing')
  t.equal(await disk.refusal(), null)
  t.same(asked, [412])
  free = 100
  t.match(await disk.refusal(), { code: 'DISK_FULL', message: /Only 100 MiB are free/ })
})
