#ifndef TILL_H
#define TILL_H
int open_till(int key);
static inline int key_of(const char *name) { return name->length; }
#endif
