export const till = {
