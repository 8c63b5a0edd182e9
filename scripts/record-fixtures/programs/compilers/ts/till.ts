import { total } from './cart'

export const sum: number = total(['1'])
