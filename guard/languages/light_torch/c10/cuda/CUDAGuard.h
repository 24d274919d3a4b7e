// Stands before torch's own header of this name.
#pragma once
#include <kernelarc/light_torch.h>
