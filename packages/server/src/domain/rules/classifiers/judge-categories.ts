export function isJudge(category: string): boolean {
  return category === 'customApi' || category === 'openai'
}
