/**
 * Collected for this project and under its licence, from no other list. Short on purpose: what is
 * coarse in one place is a surname in another, and every app can add a list of its own.
 */
export const profanities: readonly string[] = [
  // English
  ...['arsehole', 'asshole', 'assholes', 'bastard', 'bastards', 'bitch', 'bitches', 'bollocks'],
  ...['bullshit', 'cunt', 'cunts', 'dickhead', 'dickheads', 'fuck', 'fucked', 'fucker', 'fuckers'],
  ...['fucking', 'motherfucker', 'motherfuckers', 'prick', 'shit', 'shithead', 'shitty', 'slut'],
  ...['sluts', 'twat', 'wanker', 'wankers', 'whore', 'whores'],
  // German
  ...['arschloch', 'fotze', 'hurensohn', 'scheiße', 'schlampe', 'wichser'],
  // French
  ...['connard', 'connasse', 'enculé', 'merde', 'putain', 'salope'],
  // Spanish and Portuguese
  ...['cabrón', 'caralho', 'gilipollas', 'hijo de puta', 'mierda', 'porra', 'puta', 'puto'],
  // Italian
  ...['cazzo', 'coglione', 'stronzo', 'vaffanculo'],
  // Russian
  ...['блядь', 'мудак', 'сука', 'хуй'],
  // Chinese and Japanese
  ...['他妈的', '操你妈', '傻逼', 'くそったれ'],
]
