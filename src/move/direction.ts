/** From the folders of a single machine into a cluster, or back. */
export type Direction = 'to_cluster' | 'from_cluster'
