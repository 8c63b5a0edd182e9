import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isProjectName } from '../../core/project.ts'
import { uploadedFolder, uploadsFolder } from '../uploads/uploaded-remote.ts'
import { readCloneState } from './clone-state.ts'
import type { OwnBranch } from './own-branches.ts'

/** A clone, by its folder. */
export interface FoundClone {
  repository: string
  /** Tells its remote from others. */
  identity: string
  /** The projects that use it. */
  projects: string[]
  /** What jobs committed into it. */
  branches: OwnBranch[]
}

/** All that lies in the folder of the clones. */
export interface Inventory {
  clones: FoundClone[]
  /** Repositories that files were uploaded into, by the project in small letters. */
  uploaded: Array<{ repository: string; uploadedInto: string }>
  /** Files that no job has read yet. */
  uploads: string[]
}

const UPLOAD = /^upl_[0-9a-f]+$/

const foldersIn = async (folder: string): Promise<string[]> => {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  return entries.filter(entry => entry.isDirectory()).map(({ name }) => name)
}

/** Looks what there is; half-made clones and what is no clone of ours are left out. */
export async function takeInventory(clonedReposDir: string): Promise<Inventory> {
  const clones: FoundClone[] = []
  for (const repository of (await foldersIn(clonedReposDir)).filter(isProjectName).sort()) {
    const state = await readCloneState(join(clonedReposDir, repository))
    if (state === null) continue
    const { identity, users } = state
    const branches = users.flatMap(({ project: projectName, branches: own = [] }) =>
      own.map(branch => ({ repository, projectName, branch })),
    )
    clones.push({ repository, identity, projects: users.map(({ project }) => project), branches })
  }
  const uploaded: Inventory['uploaded'] = []
  const top = uploadedFolder(clonedReposDir)
  for (const uploadedInto of (await foldersIn(top)).filter(isProjectName)) {
    const repositories = (await foldersIn(join(top, uploadedInto))).filter(isProjectName)
    for (const repository of repositories) uploaded.push({ repository, uploadedInto })
  }
  const files = await readdir(uploadsFolder(clonedReposDir)).catch(() => [])
  return { clones, uploaded, uploads: files.filter(name => UPLOAD.test(name)) }
}
