def open_till
  if true
end
