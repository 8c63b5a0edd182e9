import type { Frame } from '../../core/frame.ts'
import { candidatesFor } from './candidates.ts'
import { dotnetPackage, goImportPath, hexPackage, jvmPackage, type CodePackage } from './code-packages.ts'
import { framePath, type FramePath } from './frame-path.ts'
import { isGoStandard } from './library-path.ts'
import type { Place, Project } from './project.ts'
import { scoreCandidates } from './score-candidates.ts'

function isGoRuntime(frame: Pick<Frame, 'file' | 'function'> | undefined): boolean {
  const imported = frame === undefined ? null : goImportPath(frame)
  return imported !== null && isGoStandard(imported)
}

const isOfProject = ({ path, jvm, frames }: Pick<Place, 'path' | 'jvm' | 'frames'>): boolean =>
  path.origin === 'project' &&
  path.path !== '' &&
  frames[0]?.file !== null &&
  (jvm === null || jvm.name === '') &&
  !isGoRuntime(frames[0])

/** The path of a frame; a JVM prints `Cart.java` for the file `com/acme/shop/Cart.java`. */
function pathOf(file: string | null, jvm: CodePackage | null): FramePath {
  if (file === null) return { path: '', absolute: false, anyCase: false, origin: 'project', library: null }
  if (jvm === null || jvm.name === '') return framePath(file)
  return {
    path: `${jvm.name.replaceAll('.', '/')}/${file}`,
    absolute: true,
    anyCase: false,
    origin: 'project',
    library: null,
  }
}

/** A path below the folder of its application, since each application has its own `lib/`. */
function pathInApp(file: string, app: string): FramePath {
  const path = framePath(file)
  return path.origin !== 'project' || path.absolute
    ? path
    : {
        ...path,
        origin: 'library',
        library: { kind: 'hex', package: app, version: null, inside: path.path, length: path.path.split('/').length },
      }
}

const pathIn = (app: string | null, file: string | null, jvm: CodePackage | null): FramePath =>
  app === null || file === null ? pathOf(file, jvm) : pathInApp(file, app)

type FrameGroup = Pick<Place, 'path' | 'jvm'> & { frames: Frame[] }

function scored(group: FrameGroup, project: Project): Place {
  const candidates = isOfProject(group) ? candidatesFor(group.path, project.index) : []
  return { ...group, scored: scoreCandidates(candidates, group, project) }
}

/** Groups frames by what they name: the file as printed, with the package where the runtime prints no folder. */
export function placesOf(frames: readonly Frame[], project: Project): Map<Frame, Place> {
  const hasApps = project.index.named('mix.exs').length > 0
  const groups = new Map<string, FrameGroup>()
  for (const frame of frames) {
    const jvm = jvmPackage(frame) ?? dotnetPackage(frame)
    if (frame.file === null && jvm === null) continue
    const app = hasApps ? hexPackage(frame) : null
    const key = JSON.stringify([frame.file, jvm, app])
    const path = pathIn(app, frame.file, jvm)
    const group = groups.get(key) ?? { path, jvm, frames: [] }
    groups.set(key, group)
    group.frames.push(frame)
  }
  const places = new Map<Frame, Place>()
  for (const group of groups.values()) {
    const place = scored(group, project)
    for (const frame of group.frames) places.set(frame, place)
  }
  return places
}
