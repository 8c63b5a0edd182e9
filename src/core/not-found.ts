import { FaultlineError } from './errors.ts'

/** The error for a project that is not there, or does not exist for whoever asks. */
export const projectNotFound = (name: string): FaultlineError =>
  new FaultlineError(
    'PROJECT_NOT_FOUND',
    `There is no project ${JSON.stringify(name)}.`,
    'GET /projects lists the projects; POST /clone makes one.',
  )

/** The error for a task that is not there, or does not exist for whoever asks. */
export const taskNotFound = (number: number): FaultlineError =>
  new FaultlineError(
    'TASK_NOT_FOUND',
    `There is no task ${number}.`,
    'GET /tasks lists the tasks; those of a deleted project are gone.',
  )

/** The error for a job that is not there, or does not exist for whoever asks. */
export const jobNotFound = (id: string): FaultlineError =>
  new FaultlineError('JOB_NOT_FOUND', `There is no job ${JSON.stringify(id)}.`, 'GET /jobs lists the jobs.')
