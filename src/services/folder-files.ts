import { readFolderFiles, type FolderFiles, type ReadFolderOptions } from '../indexer/folder-files.ts'
import { listFolder, type ListFolderOptions } from '../repos/objects/list-folder.ts'

/**
 * The files of a folder on this machine as jobs take them: without what `.gitignore` files leave out, and as
 * `readFolderFiles` says. A folder that the repository around it ignores is looked at by itself.
 */
export async function readFolder(
  { root, folder, signal }: ListFolderOptions,
  options: ReadFolderOptions,
): Promise<FolderFiles> {
  const own = folder === '' ? root : `${root}/${folder}`
  const below = await listFolder({ root, folder, signal })
  if (below.length > 0 || folder === '') {
    return readFolderFiles(
      own,
      below.map(path => (folder === '' ? path : path.slice(folder.length + 1))),
      options,
    )
  }
  return readFolderFiles(own, await listFolder({ root: own, folder: '', signal }), options)
}
