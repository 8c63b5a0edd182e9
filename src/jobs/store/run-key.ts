/**
 * One run of a job; `attempt` rises with each claim. What a run writes is refused once the job was claimed again: a
 * worker that was taken for dead changes nothing any more.
 */
export interface RunKey {
  seq: number
  attempt: number
}
